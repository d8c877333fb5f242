"""How certain the signs are that torque was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynid.json_text import json_by

UNCERTAIN = 9.0
"""Turning a segment round must cost more, in variances of the torque error, for it to be certain:
the odds are then one to ``exp(9 / 2)``, 1 %."""


@dataclass(frozen=True)
class UncertainSegment:
    """A segment whose other sign explains the torque about as well.

    Attributes:
        joint: of the drive.
        recording: number of the recording, from 0.
        start, stop: [s] since the recording's start.
        cost: what turning it round adds to the squared error, in variances of the torque error.
    """

    joint: str
    recording: int
    start: float
    stop: float
    cost: float


@dataclass(frozen=True)
class DriveSigns:
    """One drive's signs.

    Attributes:
        joint: of the drive.
        segments, uncertain: how many there are, and how many of them are uncertain.
        least_cost: the least that turning one of them round costs; 0 where there is none.
        certain_share: of all samples, those whose sign is right with 99 %.
        turning_cost: of turning all its signs round, with physically consistent parameters.
        decided_by: what tells which way round they are altogether.
    """

    joint: str
    segments: int
    uncertain: int
    least_cost: float
    certain_share: float
    turning_cost: float
    decided_by: str


@dataclass(frozen=True)
class TorqueSigns:
    """The signs of all drives; costs are squared errors in variances of the torque error.

    Attributes:
        drives: in drive order.
        turning_cost: of turning all signs of all drives round.
        uncertain: segments, the least certain first.
    """

    drives: tuple[DriveSigns, ...]
    turning_cost: float
    uncertain: tuple[UncertainSegment, ...]

    def note(self) -> str:
        """Tell in one sentence how certain the signs are."""
        segments = sum(drive.segments for drive in self.drives)
        share = sum(drive.certain_share for drive in self.drives) / len(self.drives)
        return (
            f"Torque came without signs; they were found: {len(self.uncertain)} of {segments} "
            f"segments are uncertain, and {100 * share:.1f} % of all samples have a sign that is "
            "right with 99 % or more (the others are near zero)."
        )

    def warnings(self) -> list[str]:
        """Tell what the signs must not be trusted in."""
        found = [
            f"the sign of the torque of {drive.joint} is unknown as a whole: neither friction, "
            "inertia nor the URDF tells which way round it is; move faster, or give the URDF masses"
            for drive in self.drives
            if drive.decided_by == "nothing"
        ]
        return [f"{text}." for text in found] + [
            f"the sign of the torque of {drive.joint} as a whole was taken from the URDF's bodies: "
            "the other way round explains the recordings as well."
            for drive in self.drives
            if drive.decided_by == "URDF"
        ]

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "turning_cost": self.turning_cost,
            "joints": json_by("joint", self.drives),
            "uncertain": self.uncertain,
        }
