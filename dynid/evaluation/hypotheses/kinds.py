"""What may be tried: the cause that each kind of change stands for, and how it is compared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Kind(NamedTuple):
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


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "factor": Kind("torque_factor", followed="factor", largest_step=0.5),
        "shape": Kind("nonlinear_torque", followed="factor"),
        "crosstalk": Kind("torque_crosstalk"),
        "hysteresis": Kind("torque_hysteresis", few=True),
        "sign": Kind("flipped_sign"),  # shown by what is physically possible
        "flip": Kind("flipped_sign"),  # in place of a negative factor
        "position": Kind("flipped_sign"),
        "reverse": Kind("reversed_joint"),
        "channels": Kind("swapped_channels", "swapped_channels"),
        "torques": Kind("swapped_channels", "swapped_channels"),
        "positions": Kind("swapped_channels", "swapped_channels"),
        "zero": Kind("encoder_zero", followed="zero", largest_step=0.3),
        "ratio": Kind("position_factor", followed="ratio", largest_step=0.2),
        "gear": Kind("position_factor", followed="gear", largest_step=0.2),
        "gravity": Kind("wrong_gravity", followed="gravity", largest_step=3.0),
        "no gravity": Kind("wrong_gravity"),
        "payload": Kind("recordings_differ"),
        "friction": Kind("recordings_differ"),
        "drift": Kind("recordings_differ"),
        "robot": Kind("recordings_differ"),
        "clock": Kind("clock", "clock", followed="clock", largest_step=0.2),
        "contact": Kind("contact"),
        "delay": Kind("time_shift", followed="delay", largest_step=0.03),
        "filter": Kind("time_shift"),
        "second": Kind("time_shift", followed="delay"),
        "backlash": Kind("backlash", largest_step=0.05, few=True),
        "coupling": Kind("unmodelled_coupling"),
        "uneven": Kind("uneven_friction", few=True),
    }
)
"""Every kind of change by its name; findings keep the order of their causes."""

LOW_PASSES = ("filter", "second")
"""Kinds of low-passes of torque, the simplest first."""
