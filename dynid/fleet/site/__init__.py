"""The pages of a fleet: as files without a server, or live on this machine."""
