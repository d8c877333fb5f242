"""What must hold before a robot is moved; each refusal is one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.errors import ExcitationError, MechanismError, PlaybackError
from dynid.excitation.limits import check_limits, position_range, sample_peaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.excitation.motion import Excitation
    from dynid.limits import Limits
    from dynid.mechanism import Mechanism
    from dynid.playback.robot_state import RobotState

_FARTHEST = 1.0  # [s] that stamps and the own clock may differ by; more are two different clocks


def sliding_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the joints that slide, of which sentences speak in m and N."""
    pairs = zip(mechanism.joints, mechanism.joint_types, strict=True)
    return tuple(joint for joint, kind in pairs if kind == "prismatic")


def check_motion(excitation: Excitation, limits: Limits, mechanism: Mechanism) -> None:
    """Raise unless a motion keeps position, velocity, acceleration and torque limits, and reach.

    Args:
        excitation: The motion.
        limits: Those that are absent are not checked.
        mechanism: Predicts torque by its current parameters.

    Raises:
        ExcitationError: a sentence with joint, time, amount and limit.
    """
    check_limits(excitation, limits, mechanism.joints, prismatic=sliding_joints(mechanism))
    check_closed(excitation, mechanism)
    if limits.torque_max is not None:
        check_torque(excitation, limits.torque_max, mechanism)


def check_closed(excitation: Excitation, mechanism: Mechanism) -> None:
    """Raise an ExcitationError where a motion leaves what a closed chain can reach."""
    time, motion, _ = sample_peaks(excitation)
    try:
        mechanism.moving_positions(motion.position)
    except MechanismError as error:
        first = int(np.argmin(mechanism.reachable(motion.position)))
        _, _, where = str(error).partition(": ")
        message = (
            f"the motion leaves what the closed chain can reach, {time[first]:.3f} s after its "
            f"start: {where} Choose limits, centre or span that stay within."
        )
        raise ExcitationError(message) from None


def check_torque(excitation: Excitation, torque_max: Sequence[float], mechanism: Mechanism) -> None:
    """Raise an ExcitationError where the torque that a motion takes exceeds what there is.

    ``torque_max`` is one value for each joint or one for all [N m or N].
    """
    joints = mechanism.joints
    allowed = per_joint(torque_max, len(joints), "torque_max")
    time, motion, _ = sample_peaks(excitation)
    torque = mechanism.torque(*motion, mechanism.parameters)
    i, j = np.unravel_index(np.argmax(np.abs(torque) / allowed), torque.shape)
    excess = abs(torque[i, j]) - allowed[j]
    if excess > 0:
        unit = "N" if joints[j] in sliding_joints(mechanism) else "N m"
        message = (
            f"joint '{joints[j]}': the predicted torque reaches {torque[i, j]:.4g} {unit} at "
            f"{time[i]:.3f} s, {excess:.2g} {unit} beyond its limit of {allowed[j]:.4g} {unit}; "
            "make the motion smaller or slower."
        )
        raise ExcitationError(message)


def check_reachable(move: Excitation, limits: Limits, mechanism: Mechanism) -> None:
    """Raise a PlaybackError where the way to the start is not one that the robot may take."""
    try:
        check_motion(move, limits, mechanism)
    except ExcitationError as error:
        message = f"the start cannot be reached from where the robot stands: {error}"
        raise PlaybackError(message) from None


def check_state(
    state: RobotState,
    limits: Limits,
    mechanism: Mechanism,
    *,
    max_age: float,
    now_ns: int,
    now: float,
) -> None:
    """Raise a PlaybackError unless a robot's state is fresh and within its position limits.

    Args:
        state: The newest.
        limits: Those on position.
        mechanism: Names its joints.
        max_age: Time [s] since its arrival that it may have.
        now_ns: The present instant on the clock of its stamp [ns].
        now: The present instant on the clock of its arrival [s].
    """
    age = now - state.arrival
    if age > max_age:
        message = (
            f"the robot's position is stale: its last joint states came {age:.2g} s ago, at most "
            f"{max_age:g} s are allowed; is its driver still running?"
        )
        raise PlaybackError(message)
    offset = (now_ns - state.stamp_ns) * 1e-9
    if abs(offset) > _FARTHEST:
        side = "before" if offset > 0 else "after"
        message = (
            f"the joint states are stamped {abs(offset):.4g} s {side} this computer's time, so "
            "that they cannot be compared with a motion; synchronise the clocks, or set "
            "use_sim_time where a simulation has its own."
        )
        raise PlaybackError(message)
    joints, sliding = mechanism.joints, sliding_joints(mechanism)
    reach = position_range(limits, len(joints))
    for j, joint in enumerate(joints):
        low, high = (-np.inf, np.inf) if reach is None else (reach[0][j], reach[1][j])
        where, unit = state.position[j], "m" if joint in sliding else "rad"
        if not np.isfinite(where):
            message = f"joint '{joint}': the joint states tell its position as {where}."
            raise PlaybackError(message)
        if not low <= where <= high:
            message = (
                f"joint '{joint}' stands at {where:.4g} {unit}, outside its limits {low:.4g} to "
                f"{high:.4g} {unit}; move it back inside by hand first."
            )
            raise PlaybackError(message)
