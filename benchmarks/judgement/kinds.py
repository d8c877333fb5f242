"""Kinds of faults and the answers that are right: the one table to adapt to other causes.

The diagnosis names a cause by its key. What it should say of each fault stands here and nowhere
else; so does which keys are about faults at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Seen = Literal["redundancy", "contradiction", "physics", "nowhere"]


@dataclass(frozen=True)
class AcceptedAnswer:
    """A cause that is right for a fault.

    Attributes:
        cause: its key.
        anywhere: whether a finding is right whichever joints it names; else it has to name some of
            those with the fault, and no others.
    """

    cause: str
    anywhere: bool = False


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault.

    Attributes:
        name: of the kind.
        answers: that are right.
        group: kinds of one group are not injected together, as they undo or imply each other.
        seen: how it can be seen: by ``redundancy`` of the recorded quantities, however harmless it
            is to the model; by ``contradiction`` to every model of the robot; or by ``physics``: a
            model fits, but its bodies have negative mass or have nothing to do with the URDF; or
            ``nowhere``, as it is none.
        joints: how many it concerns; 0: all.
        recordings: how many there have to be at least.
        velocity: whether velocity has to be recorded.
        real: whether it can be injected into a recording of a real robot.
    """

    name: str
    answers: tuple[AcceptedAnswer, ...]
    group: str
    seen: Seen = "contradiction"
    joints: int = 1
    recordings: int = 1
    velocity: bool = False
    real: bool = True


def _at(*causes: str) -> tuple[AcceptedAnswer, ...]:
    return tuple(AcceptedAnswer(cause) for cause in causes)


def _anywhere(*causes: str) -> tuple[AcceptedAnswer, ...]:
    return tuple(AcceptedAnswer(cause, anywhere=True) for cause in causes)


_KINDS = (
    FaultKind("velocity_sign", _at("velocity"), "velocity", "redundancy", velocity=True),
    FaultKind(
        "velocity_factor", _at("velocity"), "velocity", "redundancy", joints=0, velocity=True
    ),
    FaultKind("time_scale", _anywhere("time"), "velocity", "redundancy", joints=0, velocity=True),
    FaultKind("wrapped_position", _at("wrapped_position"), "position", "redundancy"),
    FaultKind("lost_samples", _anywhere("lost_samples"), "time", "redundancy", joints=0),
    FaultKind("torque_dead_zone", _at("effort"), "torque"),
    FaultKind("copied_channel", _at("copied_channel"), "channels", "redundancy", joints=2),
    FaultKind("torque_factor", _at("torque_factor"), "torque"),
    FaultKind("flipped_torque", _at("flipped_sign"), "sign"),
    FaultKind("flipped_torques", _at("flipped_sign"), "sign", joints=2),
    FaultKind("flipped_position", _at("flipped_sign"), "sign"),
    FaultKind("all_torques_flipped", _anywhere("flipped_sign"), "sign", "physics", joints=0),
    FaultKind("reversed_joint", _at("reversed_joint"), "sign"),
    FaultKind("swapped_channels", _at("swapped_channels"), "channels", joints=2),
    FaultKind("swapped_torque", _at("swapped_channels"), "channels", joints=2),
    FaultKind("encoder_zero", _at("encoder_zero"), "position"),
    FaultKind("position_factor", _at("position_factor"), "position"),
    FaultKind("gear_ratio", _at("position_factor"), "position"),
    FaultKind("wrong_gravity", _anywhere("wrong_gravity"), "gravity", joints=0),
    FaultKind("torque_delay", _anywhere("time_shift"), "delay", joints=0),
    FaultKind("torque_delay_of_one_joint", _at("time_shift"), "delay"),
    FaultKind("missing_friction", _at("friction_terms"), "friction", joints=0, real=False),
    FaultKind("coupling", _at("unmodelled_coupling"), "friction", joints=2, real=False),
    FaultKind("contact", _anywhere("contact"), "contact", joints=0),
    FaultKind(
        "payload_of_one_recording",
        _anywhere("recordings_differ"),
        "recordings",
        joints=0,
        recordings=2,
        real=False,
    ),
    FaultKind(
        "torque_factor_of_one_recording", _anywhere("recordings_differ"), "recordings", recordings=2
    ),
    FaultKind("zero_of_one_recording", _anywhere("recordings_differ"), "recordings", recordings=2),
    FaultKind("saturation", _at("saturation"), "torque"),
    FaultKind("backlash", _at("backlash"), "position"),
    # a low-pass of torque is a delay at the frequencies of a motion
    FaultKind("torque_low_pass", _anywhere("time_shift"), "delay", joints=0),
    FaultKind("torque_low_pass_of_second_order", _at("time_shift"), "delay"),
    FaultKind("torque_hysteresis", _at("torque_hysteresis"), "torque"),
    FaultKind("eccentric_friction", _at("uneven_friction"), "friction", real=False),
    FaultKind(
        "swapped_torque_of_one_recording",
        _at("swapped_channels"),
        "recordings",
        joints=2,
        recordings=2,
    ),
    FaultKind(
        "swapped_positions_of_one_recording",
        _at("swapped_channels"),
        "recordings",
        joints=2,
        recordings=2,
    ),
    FaultKind("clock_of_one_recording", _anywhere("clock", "time"), "recordings", recordings=2),
)
_UNLISTED = (
    FaultKind("phase_loss", _anywhere("recordings_differ", "nonlinear_torque"), "torque"),
    FaultKind("sign_flips_half_way", _anywhere("recordings_differ"), "sign"),
    FaultKind("payload_half_way", _anywhere("recordings_differ"), "recordings", joints=0),
    FaultKind(
        "robot_of_one_recording",
        _anywhere("recordings_differ"),
        "recordings",
        joints=0,
        recordings=2,
    ),
    FaultKind("cable_drags", _at("uneven_friction"), "friction"),
    FaultKind("hose_pulls", _at("friction_terms"), "friction"),
    FaultKind("brake_drags", _anywhere("recordings_differ", "warming_up"), "friction"),
    FaultKind("torque_drifts", _anywhere("recordings_differ", "warming_up"), "friction"),
    FaultKind(
        "position_sticks",
        _at("held_position", "position_jump", "velocity")
        + _anywhere("lost_samples", "sampling_jitter"),
        "position",
        "redundancy",
    ),
    FaultKind("torque_sticks", _at("effort", "saturation") + _anywhere("contact"), "torque"),
    FaultKind("torque_drops_out", _at("effort", "spikes") + _anywhere("contact"), "torque"),
    FaultKind(
        "encoder_slips",
        _at("position_jump", "velocity") + _anywhere("recordings_differ"),
        "position",
    ),
    FaultKind("eccentric_encoder", _at("velocity"), "position"),
    FaultKind(
        "degrees",
        _anywhere("position_factor", "torque_factor", "beyond_limits", "wrapped_position"),
        "position",
        joints=0,
    ),
    FaultKind("degrees_of_one_joint", _at("position_factor", "beyond_limits"), "position"),
    FaultKind("speed_unit_of_one_joint", _at("velocity"), "velocity", "redundancy", velocity=True),
    FaultKind("milliamperes", _anywhere("torque_factor"), "torque", "physics", joints=0),
    FaultKind("percent_of_rated", _anywhere("torque_factor"), "torque", joints=0),
    FaultKind("permuted_joints", _anywhere("swapped_channels"), "channels", joints=3),
    FaultKind("permuted_torques", _anywhere("swapped_channels"), "channels", joints=3),
    FaultKind(
        "warped_time",
        _anywhere("time", "sampling_jitter", "clock", "lost_samples", "velocity"),
        "time",
        joints=0,
    ),
    FaultKind("wrong_rate", _anywhere("time", "clock", "wrong_gravity"), "time", joints=0),
    FaultKind("direction_gain", _at("nonlinear_torque"), "torque"),
    FaultKind("late_velocity", _at("velocity", "time_shift"), "velocity", velocity=True),
    FaultKind("link_length", (), "urdf"),
    FaultKind("axis_turned", _at("encoder_zero"), "urdf"),
    FaultKind("clean_link_mass", _anywhere("torque_factor"), "urdf", "nowhere"),
    FaultKind("clean_variant", _anywhere("torque_factor"), "urdf", "nowhere", joints=0),
)
LISTED = tuple(kind.name for kind in _KINDS)
"""Kinds of which the diagnosis has a row each."""
UNLISTED = tuple(kind.name for kind in _UNLISTED)
"""Kinds of other faults: of a part of a recording, of units, order, times, links, and no fault."""
KINDS = {kind.name: kind for kind in (*_KINDS, *_UNLISTED)}
"""Every kind by its name."""

CLEAN = "clean"
"""In place of a kind, where there is no fault."""

EXCITATION = frozenset(
    {
        "ill_conditioned",
        "noise",
        "one_direction",
        "over_fit",
        "overlapping_frequencies",
        "quantised_feedback",
        "small_region",
        "too_short",
        "too_slow",
    }
)
"""Causes about motion or the quality of sensors: neither right nor wrong, unless a ``problem``."""

UNDECIDED = "unexplained"
"""The cause of a finding that says that the data are contradictory, and not why."""


def answers_for(kind: str, joints: tuple[int, ...]) -> tuple[AcceptedAnswer, ...]:
    """Return the right answers for a fault at some joints, numbered from 0.

    Some faults are the same: a first joint with another zero is a robot on another slope.
    """
    accepted = KINDS[kind].answers
    if kind in ("encoder_zero", "axis_turned") and 0 in joints:
        return (*accepted, *_anywhere("wrong_gravity"))
    return accepted
