"""Torque that is added, and torque errors that are too much: ``feedforward`` and ``collision``.

They lie with the robot because supervision of a motion, diagnosis and control all use them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator

from dynid.configuration import (
    PerJointNotNegative,
    PerJointPositive,
    PerJointSwitch,
    TaskSettings,
    per_joint,
)

_CYCLE = 0.001  # [s] that settings in cycles were mostly given for

Cycles = Annotated[int, Field(ge=0, le=1000)]


class FeedforwardSettings(TaskSettings):
    """The additive torque: inverse dynamics of the commanded motion; per joint, or one for all."""

    group = "feedforward"

    additive_torque_delay: Cycles = 3
    """Control cycles after its command that a torque is sent (softMC: AdditiveTorqueDelay)."""
    torque_error_delay: Cycles | None = None
    """Control cycles until a command shows in measured torque; None: as the additive torque's."""
    ramp_time: NonNegativeFloat = 0.5
    """In which the additive torque comes and goes [s]."""
    gain: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the model's torque that is added."""
    mode: Literal["full", "semi_static"] = "full"
    """``semi_static``: gravity and friction only."""
    friction_smoothing: PerJointNotNegative | None = None
    """Velocity over which the sign of dry friction is rounded off [rad/s or m/s]; None: a
    hundredth of the velocity limit, or 0.02."""
    position_jump: PerJointPositive | None = None
    """Change of a command in one cycle that no motion has [rad or m]; None: three cycles at the
    velocity limit, or unlimited."""
    acceleration_jump: PerJointPositive | None = None
    """Commanded acceleration that no motion has [rad/s^2 or m/s^2]; None: five times the
    acceleration limit, or unlimited."""
    reference_tolerance: PerJointPositive | None = (0.1,)
    """How far a reference may be from the command for the robot to go there [rad or m];
    None: it follows, however far, as the limits allow."""
    max_age: Annotated[float, Field(gt=0, le=10)] = 0.1
    """For which measured positions, velocities and torques may be missing or stand still [s]."""


class CollisionSettings(TaskSettings):
    """What counts as a collision; one value per joint or one for all.

    A joint's threshold is ``torque_error_max + velocity_factor |v| + acceleration_factor |a|``,
    and ``reversal_boost`` more while |v| is not above ``low_speed``, and for ``boost_time`` after:
    there dry friction may be anything between its values in either direction, and thresholds are
    not below the model's dry friction. The same holds for all joints where the acceleration of one
    is further than ``acceleration_step`` from its mean over the last ``boost_time``.
    """

    group = "collision"

    method: Literal["torque_error", "momentum"] = "torque_error"
    """Inverse dynamics of commands, or an observer of the generalised momentum."""
    observer_gain: PositiveFloat = 30.0
    """Of that observer [1/s]: it follows a force within 1 / observer_gain."""
    torque_error_enable: PerJointSwitch = (True,)
    torque_error_time_constant: PerJointNotNegative = (0.01,)
    """Of the first-order low-pass that torque errors pass [s]; 0: none."""
    torque_error_max: PerJointPositive | None = None
    """[N m or N]; None: torque errors are not watched."""
    velocity_factor: PerJointNotNegative = (0.0,)
    """[N m s/rad or N s/m]"""
    acceleration_factor: PerJointNotNegative = (0.0,)
    """[N m s^2/rad or N s^2/m]"""
    reversal_boost: PerJointNotNegative = (0.0,)
    """[N m or N]"""
    low_speed: PerJointNotNegative = (0.05,)
    """[rad/s or m/s]"""
    acceleration_step: PerJointPositive | None = None
    """[rad/s^2 or m/s^2]; None: half the acceleration limit, or 3."""
    boost_time: NonNegativeFloat = 0.1
    """[s]"""
    warn_fraction: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Of a threshold, from which on it warns."""
    debounce_time: Annotated[float, Field(ge=0, le=60)] = 0.003
    """Time beyond the threshold without a break that makes a collision [s]."""
    reaction: Literal["hold", "decelerate"] = "decelerate"
    """``hold``: commands stop at once; ``decelerate``: they come to rest along their path."""
    deceleration: PerJointPositive | None = None
    """Of that [rad/s^2 or m/s^2]; None: the acceleration limit, or 10."""

    @model_validator(mode="before")
    @classmethod
    def _times_are_in_seconds(cls, content: object) -> object:
        """Refuse the keys that counted in control cycles, and say what replaces them."""
        given = content if isinstance(content, Mapping) else {}
        for old, (new, seconds) in _IN_CYCLES.items():
            if old in given:
                message = (
                    f"'{old}' counted in control cycles and is '{new}' in seconds now; in place of "
                    f"{old}: {_written(given[old])} write {new}: {_written(given[old], seconds)} "
                    "if it was meant for 1000 cycles per second"
                )
                raise ValueError(message)
        return content

    def threshold_at_rest(self, joints: int) -> NDArray[np.float64] | None:
        """What no torque error of free motion is beyond (n,), or None where nothing is watched.

        Raises:
            ConfigurationError: there is not one value for each joint.
        """
        if self.torque_error_max is None:
            return None
        moving = per_joint(self.torque_error_max, joints, "torque_error_max")
        return moving + per_joint(self.reversal_boost, joints, "reversal_boost")


def _time_constant(factor: float) -> float:
    """Return the time constant [s] of e_f <- f e_f + (1 - f) e with this factor f."""
    return -_CYCLE / log(factor) if 0.0 < factor < 1.0 else 0.0


def _duration(cycles: float) -> float:
    return _CYCLE * cycles


_IN_CYCLES: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "torque_error_filter": ("torque_error_time_constant", _time_constant),
    "debounce": ("debounce_time", _duration),
}


def _written(values: object, convert: Callable[[float], float] = float) -> str:
    """Return what was given for one joint or for all, converted, as YAML holds it."""
    if isinstance(values, list | tuple):
        return f"[{', '.join(_written(value, convert) for value in values)}]"
    return f"{convert(values):.3g}" if isinstance(values, int | float) else "..."
