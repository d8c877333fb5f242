"""Signs of torque that was recorded without: their certainty, and the plug-in that finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.json_text import json_by
from dynid.plugins import HOOKS, load_plugin
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

UNCERTAIN = 9.0
"""Flipping a segment must cost more than this, in variances of the torque error, to be certain:
the odds are one to ``exp(9 / 2)``, 1 %."""


@dataclass(frozen=True)
class UncertainSegment:
    """A segment whose other sign explains the torque about as well.

    Attributes:
        joint: of the drive.
        recording: number of the recording, from 0.
        start, stop: [s] since the recording's start.
        cost: increase of the squared error if it is flipped, in variances of the torque error.
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
        segments, uncertain: number of segments, and of uncertain ones.
        least_cost: smallest cost of flipping one of them; 0 without a segment.
        certain_share: share of samples whose sign is right with a probability of 99 %.
        turning_cost: of flipping all its signs, with physically consistent parameters.
        decided_by: criterion that decided the common sign.
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
        turning_cost: of flipping all signs of all drives.
        uncertain: segments, the least certain first.
    """

    drives: tuple[DriveSigns, ...]
    turning_cost: float
    uncertain: tuple[UncertainSegment, ...]

    def note(self) -> str:
        """Return a sentence on the certainty of the signs."""
        segments = sum(drive.segments for drive in self.drives)
        share = sum(drive.certain_share for drive in self.drives) / len(self.drives)
        return (
            f"Torque was recorded without sign, and its signs were found: {len(self.uncertain)} "
            f"of {segments} segments are uncertain, and {100 * share:.1f} % of all samples have a "
            "sign that is right with a probability of at least 99 % (the others are near zero)."
        )

    def warnings(self) -> list[str]:
        """Return sentences on drives with uncertain signs."""
        found = [
            f"the common sign of the torque of {drive.joint} is unknown: neither friction, inertia "
            "nor the URDF determines it; move faster, or add masses to the URDF"
            for drive in self.drives
            if drive.decided_by == "nothing"
        ]
        return [f"{text}." for text in found] + [
            f"the common sign of the torque of {drive.joint} was taken from the URDF's bodies, "
            "because the opposite sign explains the recordings equally well."
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


FindSigns = Callable[
    [Robot, Mechanism, BaseParameterization, Sequence[Recording]],
    tuple[tuple[Recording, ...], TorqueSigns],
]
"""Returns recordings with signs, found from the recordings alone, and how certain these are."""
ModelSigns = Callable[[Robot, Mechanism, Recording], Recording]
"""Returns a recording with the signs of an identified model's torque."""

_USER = "identification.unsigned_torque"


def sign_finder() -> FindSigns:
    """Return the plug-in's function that finds signs.

    Raises:
        ConfigurationError: no plug-in has it.
    """
    found: FindSigns = load_plugin(HOOKS, "find_signs", _USER)
    return found


def model_signs() -> ModelSigns:
    """Return the plug-in's function that takes signs from a model.

    Raises:
        ConfigurationError: no plug-in has it.
    """
    found: ModelSigns = load_plugin(HOOKS, "signed_by_model", _USER)
    return found
