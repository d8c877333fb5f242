"""What may be tried: the cause that each kind of change stands for, and how it is compared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class CauseKind(NamedTuple):
    """A kind of change.

    Attributes:
        cause: key of the cause that it stands for.
        of_recording: the same where it concerns one recording of several.
        followed: the kind of its number that is followed to its best value; empty for none.
        largest_step: of an iteration of that number; 0: it has none that is linearised.
        few: whether few of it are tried, those of single joints with large errors.
    """

    cause: str
    of_recording: str = "recordings_differ"
    followed: str = ""
    largest_step: float = 0.0
    few: bool = False

    def cause_in(self, recordings: tuple[int, ...]) -> str:
        """Return the cause of a change in some recordings; (): in all."""
        return self.of_recording if recordings else self.cause


KINDS: Mapping[str, CauseKind] = MappingProxyType(
    {
        "factor": CauseKind("torque_factor", followed="factor", largest_step=0.5),
        "shape": CauseKind("nonlinear_torque", followed="factor"),
        "crosstalk": CauseKind("torque_crosstalk"),
        "hysteresis": CauseKind("torque_hysteresis", few=True),
        "sign": CauseKind("flipped_sign"),  # shown by what is physically possible
        "flip": CauseKind("flipped_sign"),  # in place of a negative factor
        "position": CauseKind("flipped_sign"),
        "reverse": CauseKind("reversed_joint"),
        "channels": CauseKind("swapped_channels", "swapped_channels"),
        "torques": CauseKind("swapped_channels", "swapped_channels"),
        "positions": CauseKind("swapped_channels", "swapped_channels"),
        "zero": CauseKind("encoder_zero", followed="zero", largest_step=0.3),
        "ratio": CauseKind("position_factor", followed="ratio", largest_step=0.2),
        "gear": CauseKind("position_factor", followed="gear", largest_step=0.2),
        "gravity": CauseKind("wrong_gravity", followed="gravity", largest_step=3.0),
        "no gravity": CauseKind("wrong_gravity"),
        "payload": CauseKind("recordings_differ"),
        "friction": CauseKind("recordings_differ"),
        "drift": CauseKind("recordings_differ"),
        "robot": CauseKind("recordings_differ"),
        "clock": CauseKind("clock", "clock", followed="clock", largest_step=0.2),
        "contact": CauseKind("contact"),
        "delay": CauseKind("time_shift", followed="delay", largest_step=0.03),
        "filter": CauseKind("time_shift"),
        "second": CauseKind("time_shift", followed="delay"),
        "backlash": CauseKind("backlash", largest_step=0.05, few=True),
        "coupling": CauseKind("unmodelled_coupling"),
        "uneven": CauseKind("uneven_friction", few=True),
    }
)
"""Every kind of change by its name; findings keep the order of their causes."""

LOW_PASSES = ("filter", "second")
"""Kinds of low-passes of torque, the simplest first."""
