"""Torque constants of drives that nobody knows, found together with the dynamic parameters."""

from dynid.drive_gains.identification import DriveGains, identify_drive_gains
from dynid.drive_gains.known_payload import KnownPayload

__all__ = ["DriveGains", "KnownPayload", "identify_drive_gains"]
