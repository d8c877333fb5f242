"""The pages of a fleet: as files without a server, or live on this machine.

The first page lists robots by what needs a person; each robot has a page of its own.
"""
