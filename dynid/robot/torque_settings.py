"""Settings of torque feedforward and collision detection: ``feedforward`` and ``collision``.

They are in this package because supervision of a motion, diagnosis and control all use them. Each
is declared here alone (:class:`~dynid.configuration.ControlSettings`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, log
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveFloat, model_validator

from dynid.configuration import (
    ControlSettings,
    Delay,
    Live,
    Otherwise,
    PerJoint,
    PerJointDelay,
    PerJointNotNegative,
    PerJointPositive,
    PerJointSwitch,
    TaskSettings,
    per_joint,
)

_CYCLE = 0.001  # [s] assumed cycle of settings that were given in cycles

FeedforwardMode = Literal["full", "semi_static"]
DetectionMethod = Literal["torque_error", "momentum"]
CollisionReaction = Literal["hold", "decelerate"]


class AdditiveTorqueSettings(ControlSettings):
    """When additive torque is sent, and for which commands."""

    struct = "FeedforwardSettings"
    parameters = ""

    additive_torque_delay: Delay = 0.003
    """Delay of the additive torque after its command [s] (softMC: AdditiveTorqueDelay)."""
    ramp_time: Annotated[float, Field(ge=0, le=60)] = 0.5
    """Time of fading the additive torque in and out [s]."""
    position_jump: PerJointPositive | None = None
    """Change of a command in one cycle that counts as a jump [rad or m]; None: three cycles at the
    velocity limit, or unlimited."""
    acceleration_jump: PerJointPositive | None = None
    """Commanded acceleration that counts as a jump [rad/s^2 or m/s^2]; None: five times the
    acceleration limit, or unlimited."""


class StictionSettings(ControlSettings):
    """How a joint that rests is helped over dry friction where a slow motion is intended."""

    struct = "StictionSettings"
    parameters = ""

    stiction_gain: PerJointNotNegative = (0.0,)
    """Share of the model's dry friction with which a joint that does not follow is pushed in the
    direction of its intended motion; 0: none."""
    stiction_band: PerJointPositive = (0.001,)
    """Intended motion over which that push builds up or reverses [rad or m]; what moves less within
    ``ramp_time`` counts as at rest."""
    dither: PerJointNotNegative = (0.0,)
    """Amplitude of an oscillation that is added to that push, of the joint if it had no friction
    [rad or m]: less than its encoder resolves; 0: none."""
    dither_frequency: Annotated[float, Field(ge=1, le=1000)] = 60.0
    """Frequency of that oscillation [Hz]; above a quarter of the control rate, that quarter."""


class LinkReferenceSettings(ControlSettings):
    """How motors lead the links behind gears that bend."""

    struct = "ElasticSettings"
    parameters = ""

    elastic_cutoff: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Cut-off frequency of each of five lags through which references pass, so that the motors of
    elastic joints can lead their links; they delay the motion by 0.8 / elastic_cutoff [Hz]; 0:
    joints are taken as rigid."""


class GearSettings(ControlSettings):
    """Gears that bend: the profile's ``elastic``."""

    struct = "ElasticSettings"
    parameters = "elastic"

    stiffness: PerJointPositive | None = None
    """Stiffness of the gear [N m/rad or N/m]; None: it is rigid."""
    hardening: PerJointNotNegative = (0.0,)
    """Cubic stiffness of the gear, added to that [N m/rad^3 or N/m^3]."""
    rotor_inertia: PerJointNotNegative = (0.0,)
    """Inertia of the motor, behind the gear [kg m^2 or kg]."""
    damping: PerJointNotNegative = (0.0,)
    """Damping of the gear [N m s/rad or N s/m]."""
    backlash: PerJointNotNegative = (0.0,)
    """Total backlash of the gear [rad or m]."""
    link_torque: PerJointSwitch = (False,)
    """Whether collisions are detected by the torque in the gear, in place of the motor's."""
    link_factor: PerJoint = (1.0,)
    """Position of the link per unit of its encoder's [rad or m]."""
    link_offset: PerJoint = (0.0,)
    """Added to that [rad or m]."""
    link_delay: PerJointDelay = (0.0,)
    """Time by which the link's encoder is later than the motor's [s]."""


class TorqueLimit(ControlSettings):
    """Limit of the additive torque: the profile's ``limits.torque_max``."""

    struct = "FeedforwardSettings"
    parameters = ""

    torque_max: PerJointNotNegative
    """Largest additive torque [N m or N]."""


class TorqueShare(ControlSettings):
    """Which part of the model's torque is added."""

    struct = "TorqueShare"
    parameters = ""

    gain: Live[Annotated[float, Field(ge=0, le=1)]] = 1.0
    """Factor of the model's torque."""
    mode: Live[FeedforwardMode] = "full"
    """Part of the model's torque that is added: all of it (``full``), or gravity and friction only
    (``semi_static``)."""


class ReferenceSettings(ControlSettings):
    """How the commanded motion follows its reference, and which feedback is required."""

    struct = "ControlLawSettings"
    parameters = ""

    torque_error_delay: Annotated[Delay | None, Otherwise(-1.0)] = None
    """Delay of the measured torque after its command [s]; None: ``additive_torque_delay``."""
    reference_tolerance: PerJointNotNegative | None = (0.1,)
    """Largest distance of a reference from the command at which the robot follows [rad or m],
    beyond which it comes to rest on its path; None: any distance, within the limits."""
    max_age: Annotated[float, Field(ge=0.001, le=10)] = 0.1
    """Time for which measured values of a joint may be missing, or constant while it is commanded
    to move, before the robot is stopped [s]."""


class DriveTime(ControlSettings):
    """How drives continue by themselves: the profile's ``drives.extrapolation_time``."""

    struct = "ControlLawSettings"
    parameters = ""

    extrapolation_time: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Time for which the drives move on by themselves when a cycle comes late, so that the command
    continues where they are [s]; 0: they take one command in each of their cycles, and hold the
    last."""


class CommandLimits(ControlSettings):
    """Limits of position commands: the profile's ``limits``."""

    struct = "CommandLimits"
    parameters = ""

    position_min: Annotated[PerJoint | None, Otherwise(-inf)] = None
    """Lower limit of the position command [rad or m]."""
    position_max: PerJoint | None = None
    """Upper limit of the position command [rad or m]."""
    velocity_max: PerJointPositive | None = None
    """Largest velocity of the position command, its change in a cycle over the nominal cycle time
    [rad/s or m/s]."""
    acceleration_max: PerJointPositive | None = None
    """Largest acceleration of the position command, the change of that velocity over the nominal
    cycle time, except in a stop after a collision or fault [rad/s^2 or m/s^2]."""


class SupervisionSettings(ControlSettings):
    """For how long torque may not be evaluated."""

    struct = "SupervisionSettings"
    parameters = ""

    longest_blind: Annotated[float, Field(ge=0.001, le=60)] = 0.1
    """Time for which a joint's torque may not be evaluated before there is a warning [s];
    suspensions after jumps of the reference may last ``ramp_time`` longer."""
    longest_blind_stop: Annotated[float, Field(ge=0.001, le=60), Otherwise(inf)] = 1.0
    """The same, after which the robot is stopped [s]."""


class ModelCheckSettings(ControlSettings):
    """Whether the model is compared with the robot."""

    struct = "ModelMonitorSettings"
    parameters = ""

    model_check: bool = True
    """Whether the torque of a model is ramped out whose torque errors in motion are larger than
    its own error explains."""


class FeedforwardSettings(
    ModelCheckSettings,
    SupervisionSettings,
    ReferenceSettings,
    LinkReferenceSettings,
    StictionSettings,
    TorqueShare,
    AdditiveTorqueSettings,
    TaskSettings,
):
    """Feedforward torque: inverse dynamics of the commanded motion; per joint, or one for all."""

    group = "feedforward"
    kept_with_model = True
    struct = "ModelSettings"
    parameters = ""

    friction_smoothing: Annotated[PerJointNotNegative | None, Otherwise(0.02)] = None
    """Velocity below which the sign of dry friction is smoothed [rad/s or m/s]; None: a
    hundredth of the velocity limit, or 0.02."""


class ThresholdSettings(ControlSettings):
    """When a torque error is a collision."""

    struct = "CollisionSettings"
    parameters = "collision"

    torque_error_time_constant: Live[PerJointNotNegative] = (0.01,)
    """Time constant of the first-order low-pass filter on torque errors [s]; 0: none."""
    torque_error_max: Live[PerJointPositive | None] = None
    """Torque error that is a collision, at standstill and constant speed [N m or N]; null: torque
    errors are not supervised."""
    velocity_factor: Live[PerJointNotNegative] = (0.0,)
    """Increase of the threshold with speed [N m s/rad or N s/m]."""
    acceleration_factor: Live[PerJointNotNegative] = (0.0,)
    """Increase of the threshold with acceleration [N m s^2/rad or N s^2/m]."""
    reversal_boost: Live[PerJointNotNegative] = (0.0,)
    """Increase of the threshold near standstill and after a reversal [N m or N]."""
    low_speed: Live[PerJointNotNegative] = (0.05,)
    """Speed up to which ``reversal_boost`` is added [rad/s or m/s]."""
    acceleration_step: Live[PerJointPositive | None] = None
    """Step of the commanded acceleration after which ``reversal_boost`` is added at all joints
    [rad/s^2 or m/s^2]; null: half the acceleration limit, or 3."""
    boost_time: Live[Annotated[float, Field(ge=0, le=60)]] = 0.1
    """Time for which ``reversal_boost`` remains added [s]."""
    debounce_time: Live[Annotated[float, Field(ge=0, le=60)]] = 0.003
    """Time above the threshold, less half the time below, that counts as a collision [s]."""


class TorqueThreshold(ControlSettings):
    """Threshold of the measured torque: the profile's ``limits.torque_threshold``."""

    struct = "CollisionSettings"
    parameters = "collision"

    torque_threshold: Live[PerJointPositive | None] = None
    """Threshold of the measured torque [N m or N]."""


class ReactionSettings(ControlSettings):
    """How torque errors are computed, and what follows a collision."""

    struct = "ControlLawSettings"
    parameters = "collision"

    method: DetectionMethod = "torque_error"
    """Inverse dynamics of commands (``torque_error``), or an observer of the generalised momentum
    of the measured motion (``momentum``), which needs no acceleration."""
    observer_gain: PositiveFloat = 30.0
    """Gain of that observer [1/s]: its time constant is 1 / observer_gain."""
    reaction: Live[CollisionReaction] = "decelerate"
    """``hold``: commands stop at once; ``decelerate``: they stop along their path."""
    deceleration: Annotated[PerJointPositive | None, Otherwise(10.0)] = None
    """Deceleration after a collision [rad/s^2 or m/s^2]; null: the acceleration limit, or 10."""


class CollisionSettings(ReactionSettings, ThresholdSettings, TaskSettings):
    """Collision detection; one value per joint or one for all.

    A joint's threshold is ``torque_error_max + velocity_factor |v| + acceleration_factor |a|``,
    and ``reversal_boost`` more while |v| is not above ``low_speed``, and for ``boost_time`` after:
    there dry friction may have any value between those of the two directions, and thresholds are at
    least the model's dry friction. The same applies to all joints while the acceleration of one
    differs by more than ``acceleration_step`` from its mean over the last ``boost_time``.
    """

    group = "collision"
    kept_with_model = True
    struct = "CollisionSettings"
    parameters = "collision"

    torque_error_enable: Live[PerJointSwitch] = (True,)
    """Whether the torque error of a joint is supervised."""
    warn_fraction: Live[Annotated[float, Field(ge=0.01, le=1)]] = 0.7
    """Fraction of a threshold above which a warning is published."""

    @model_validator(mode="before")
    @classmethod
    def _times_are_in_seconds(cls, content: object) -> object:
        """Reject the keys in control cycles, and name their replacement."""
        given = content if isinstance(content, Mapping) else {}
        for old, (new, seconds) in _IN_CYCLES.items():
            if old in given:
                raise ValueError(
                    f"'{old}' (in control cycles) was replaced by '{new}' in seconds; in place of "
                    f"{old}: {_written(given[old])} write {new}: {_written(given[old], seconds)} "
                    "if it was meant for 1000 cycles per second"
                )
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
