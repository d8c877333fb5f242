"""Settings of torque feedforward and collision detection: ``feedforward`` and ``collision``.

They are in this package because supervision of a motion, diagnosis and control all use them.
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

_CYCLE = 0.001  # [s] assumed cycle of settings that were given in cycles

Cycles = Annotated[int, Field(ge=0, le=1000)]


class FeedforwardSettings(TaskSettings):
    """Feedforward torque: inverse dynamics of the commanded motion; per joint, or one for all."""

    group = "feedforward"
    kept_with_model = True

    additive_torque_delay: Cycles = 3
    """Delay of the torque after its command [control cycles] (softMC: AdditiveTorqueDelay)."""
    torque_error_delay: Cycles | None = None
    """Delay of measured torque [control cycles]; None: as the feedforward torque's."""
    ramp_time: NonNegativeFloat = 0.5
    """Time of fading the feedforward torque in and out [s]."""
    gain: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Factor of the model's torque."""
    mode: Literal["full", "semi_static"] = "full"
    """``semi_static``: gravity and friction only."""
    friction_smoothing: PerJointNotNegative | None = None
    """Velocity below which the sign of dry friction is smoothed [rad/s or m/s]; None: a
    hundredth of the velocity limit, or 0.02."""
    position_jump: PerJointPositive | None = None
    """Change of a command in one cycle that counts as a jump [rad or m]; None: three cycles at the
    velocity limit, or unlimited."""
    acceleration_jump: PerJointPositive | None = None
    """Commanded acceleration that counts as a jump [rad/s^2 or m/s^2]; None: five times the
    acceleration limit, or unlimited."""
    reference_tolerance: PerJointPositive | None = (0.1,)
    """Largest distance of a reference from the command that the robot moves to [rad or m];
    None: any distance, within the limits."""
    max_age: Annotated[float, Field(gt=0, le=10)] = 0.1
    """Time for which measured values may be missing or constant [s]."""
    longest_blind: Annotated[float, Field(ge=0.001, le=60)] = 0.1
    """Time for which a joint's torque may not be evaluated before there is a warning [s]."""
    longest_blind_stop: Annotated[float, Field(ge=0.001, le=60)] = 1.0
    """The same, after which the robot is stopped [s]."""
    model_check: bool = True
    """Whether the torque of a model is ramped out whose torque errors in motion are larger than
    its own error explains."""


class CollisionSettings(TaskSettings):
    """Collision detection; one value per joint or one for all.

    A joint's threshold is ``torque_error_max + velocity_factor |v| + acceleration_factor |a|``,
    and ``reversal_boost`` more while |v| is not above ``low_speed``, and for ``boost_time`` after:
    there dry friction may have any value between those of the two directions, and thresholds are at
    least the model's dry friction. The same applies to all joints while the acceleration of one
    differs by more than ``acceleration_step`` from its mean over the last ``boost_time``.
    """

    group = "collision"
    kept_with_model = True

    method: Literal["torque_error", "momentum"] = "torque_error"
    """Inverse dynamics of commands, or an observer of the generalised momentum."""
    observer_gain: PositiveFloat = 30.0
    """Gain of that observer [1/s]: its time constant is 1 / observer_gain."""
    torque_error_enable: PerJointSwitch = (True,)
    """Whether the torque error of a joint is supervised."""
    torque_error_time_constant: PerJointNotNegative = (0.01,)
    """Time constant of the first-order low-pass filter on torque errors [s]; 0: none."""
    torque_error_max: PerJointPositive | None = None
    """Torque error that is a collision, at standstill and constant speed [N m or N]; null: torque
    errors are not supervised."""
    velocity_factor: PerJointNotNegative = (0.0,)
    """Increase of the threshold with speed [N m s/rad or N s/m]."""
    acceleration_factor: PerJointNotNegative = (0.0,)
    """Increase of the threshold with acceleration [N m s^2/rad or N s^2/m]."""
    reversal_boost: PerJointNotNegative = (0.0,)
    """Increase of the threshold near standstill and after a reversal [N m or N]."""
    low_speed: PerJointNotNegative = (0.05,)
    """Speed up to which ``reversal_boost`` is added [rad/s or m/s]."""
    acceleration_step: PerJointPositive | None = None
    """Step of the commanded acceleration after which ``reversal_boost`` is added at all joints
    [rad/s^2 or m/s^2]; null: half the acceleration limit, or 3."""
    boost_time: NonNegativeFloat = 0.1
    """Time for which ``reversal_boost`` remains added [s]."""
    warn_fraction: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Fraction of a threshold above which a warning is published."""
    debounce_time: Annotated[float, Field(ge=0, le=60)] = 0.003
    """Uninterrupted time above the threshold that counts as a collision [s]."""
    reaction: Literal["hold", "decelerate"] = "decelerate"
    """``hold``: commands stop at once; ``decelerate``: they stop along their path."""
    deceleration: PerJointPositive | None = None
    """Deceleration after a collision [rad/s^2 or m/s^2]; null: the acceleration limit, or 10."""

    @model_validator(mode="before")
    @classmethod
    def _times_are_in_seconds(cls, content: object) -> object:
        """Reject the keys in control cycles, and name their replacement."""
        given = content if isinstance(content, Mapping) else {}
        for old, (new, seconds) in _IN_CYCLES.items():
            if old in given:
                message = (
                    f"'{old}' (in control cycles) was replaced by '{new}' in seconds; in place of "
                    f"{old}: {_written(given[old])} write {new}: {_written(given[old], seconds)} "
                    "if it was meant for 1000 cycles per second"
                )
                raise ValueError(message)
        return content

    def threshold_at_rest(self, joints: int) -> NDArray[np.float64] | None:
        """Return the thresholds at rest (n,), or None without supervision of torque errors.

        Raises:
            ConfigurationError: there is neither one value nor one for each joint.
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
    """Return the value of one joint or of all, converted, as text in YAML."""
    if isinstance(values, list | tuple):
        return f"[{', '.join(_written(value, convert) for value in values)}]"
    return f"{convert(values):.3g}" if isinstance(values, int | float) else "..."
