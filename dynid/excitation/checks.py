"""Checks before a robot is moved; each rejection is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ExcitationError, MechanismError, PlaybackError
from dynid.excitation.limit_use import LimitUse, first_broken, limit_use
from dynid.excitation.limits import Peaks, check_finite, limit_uses, sample_peaks
from dynid.excitation.motion import Excitation, Motion
from dynid.excitation.workspace.pairs import LeftOut
from dynid.excitation.workspace.proof import workspace_uses
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.text import listed

_ANOTHER_MOTION = "`dynid excite ROBOT -o excitation.yaml` finds another motion"
_BY_HAND = "move the robot by hand to a position from where the way is free"
_PROVEN = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class MotionCheck:
    """How much of the limits a motion uses.

    Attributes:
        uses: of every limit that is defined.
        violation: a sentence on the first violation; None if the motion is safe.
        time: start of the first violation [s]; None if the motion does not start and end at rest.
        grounds: sentences on what was proven at every instant, and what was only sampled.
        unchecked: what was not checked, and why; see :func:`unchecked`.
        broken: the limit that is violated first; None if there is none, or if something else is
            violated, such as the reachable range of a closed chain.
        pairs: names of the bodies and obstacles whose distances were checked.
        left_out: pairs whose distances were not checked, and why.
        doubts: sentences on values of the URDF that are not believable.
    """

    uses: tuple[LimitUse, ...]
    violation: str | None
    time: float | None
    grounds: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    broken: LimitUse | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """A sentence: the motion is safe, what it violates, or what was not checked."""
        if self.violation is not None:
            return f"Not safe: {self.violation}"
        return kept_sentence(self.unchecked)


def kept_sentence(unchecked: Sequence[str]) -> str:
    """Return the sentence for a motion that is within every limit that was checked."""
    if not unchecked:
        return "Safe: every limit is kept."
    return f"Limits kept; {'; '.join(unchecked)}."


def unchecked(limits: Limits, workspace: Workspace) -> tuple[str, ...]:
    """Return what a check cannot detect because the data for it are missing.

    Each is such as "collisions with floor or table not checked: no plane under
    `workspace.planes`". Checks that the profile switches off explicitly are not included.
    """
    names, keys = _absent(limits)
    if not names:
        return workspace.unchecked
    return (*workspace.unchecked, f"{names} not checked: no {keys}")


def sliding_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the names of the prismatic joints, whose amounts are printed in m and N."""
    pairs = zip(mechanism.joints, mechanism.joint_types, strict=True)
    return tuple(joint for joint, kind in pairs if kind == "prismatic")


def check_joints(excitation: Excitation, robot: Robot) -> None:
    """Raise an ExcitationError unless a motion is of as many joints as a robot has."""
    if excitation.joint_count != len(robot.joints):
        raise ExcitationError(
            f"the excitation moves {excitation.joint_count} joints, expected "
            f"{len(robot.joints)} as in profile '{robot.name}'."
        )


def examine_motion(
    excitation: Excitation, limits: Limits, mechanism: Mechanism, workspace: Workspace
) -> MotionCheck:
    """Compare a motion with position, velocity, acceleration and torque limits, and the workspace.

    Args:
        excitation: the motion.
        limits: of the robot; absent limits are not checked.
        mechanism: predicts torque from its current parameters.
        workspace: what the robot must not touch.
    """
    try:
        check_finite(excitation, mechanism.joints)
    except ExcitationError as error:
        nothing = ("Nothing else was checked.",)
        return MotionCheck((), str(error), 0.0, nothing, unchecked(limits, workspace))
    peaks = sample_peaks(excitation)
    reached = mechanism.reachable(peaks.motion.position)
    sliding = sliding_joints(mechanism)
    uses = limit_uses(excitation, limits, mechanism.joints, prismatic=sliding)
    uses += _torque_uses(peaks, reached, limits, mechanism)
    violations = []
    if reached.all():
        try:
            uses += workspace_uses(excitation, workspace)
        except ExcitationError as error:
            violations.append((excitation.duration, str(error)))
    broken = first_broken(uses)
    if broken is not None and broken.passed is not None:
        violations.append((broken.passed, _sentence(broken, excitation)))
    if not reached.all():
        violations.append(_out_of_reach(peaks, reached, mechanism))
    time, violation = min(violations, default=(None, None))
    grounds = _grounds(peaks, limits, mechanism, workspace if reached.all() else None)
    return MotionCheck(
        tuple(uses),
        violation,
        time,
        grounds,
        unchecked=unchecked(limits, workspace),
        broken=broken if broken is not None and broken.passed == time else None,
        pairs=workspace.pairs,
        left_out=workspace.left_out,
    )


def check_motion(
    excitation: Excitation, limits: Limits, mechanism: Mechanism, workspace: Workspace
) -> None:
    """Raise unless a motion is within its limits on joints, torque and workspace.

    Raises:
        ExcitationError: a sentence on the first violation, with joint or pair, time and amount.
    """
    violation = examine_motion(excitation, limits, mechanism, workspace).violation
    if violation is not None:
        raise ExcitationError(violation)


def check_reachable(
    move: Excitation, limits: Limits, mechanism: Mechanism, workspace: Workspace
) -> None:
    """Raise a PlaybackError if the robot cannot move safely to the start of the motion."""
    check = examine_motion(move, limits, mechanism, workspace)
    if check.violation is None:
        return
    reason, broken = check.violation, check.broken
    if broken is not None and broken.limit == "distance":
        reason = broken.sentence(move.evaluate([broken.shown_at]).position[0], _BY_HAND)
    raise PlaybackError(f"the start cannot be reached from the robot's current position: {reason}")


def _sentence(broken: LimitUse, excitation: Excitation) -> str:
    """Return a sentence on a violation; of two bodies, with the pose, which no limit shows."""
    if broken.limit != "distance":
        return broken.sentence()
    return broken.sentence(excitation.evaluate([broken.shown_at]).position[0], _ANOTHER_MOTION)


def _torque_uses(
    peaks: Peaks, reached: NDArray[np.bool_], limits: Limits, mechanism: Mechanism
) -> list[LimitUse]:
    if limits.torque_max is None or not reached.any():
        return []
    time, motion = peaks.time[reached], Motion(*(quantity[reached] for quantity in peaks.motion))
    allowed = limits.of_joints(len(mechanism.joints)).torque
    torque = mechanism.torque(*motion, mechanism.parameters)
    uses = []
    for j, joint in enumerate(mechanism.joints):
        unit = "N" if mechanism.prismatic[j] else "N m"
        what = ("the predicted torque", f"joint '{joint}'", unit)
        beyond = np.abs(torque[:, j]) - allowed[j]
        use = limit_use(what, time, torque[:, j], float(allowed[j]), beyond)
        uses.append(use._replace(used=abs(use.most.value) / float(allowed[j])))
    return uses


def _out_of_reach(
    peaks: Peaks, reached: NDArray[np.bool_], mechanism: Mechanism
) -> tuple[float, str]:
    """Return when a motion first cannot close a closed chain [s], and a sentence on it."""
    first = int(np.argmin(reached))
    where = ""
    try:
        mechanism.moving_positions(peaks.motion.position[first])
    except MechanismError as error:
        _, _, where = str(error).partition(": ")
    time = float(peaks.time[first])
    return time, (
        f"the motion leaves the reachable range of the closed chain {time:.3f} s after its start: "
        f"{where} Choose limits, centre or span within that range."
    )


def _grounds(
    peaks: Peaks, limits: Limits, mechanism: Mechanism, workspace: Workspace | None
) -> tuple[str, ...]:
    """Return sentences on how each check was made; ``workspace`` is None if not evaluated."""
    count, step = len(peaks.time), 1e3 * float(np.max(np.diff(peaks.time)))
    sampled = f"at {count} instants, at most {step:.3g} ms apart, but not between them."
    sentences = []
    proven = [name for name in _PROVEN if getattr(limits, name) is not None]
    absent, _ = _absent(limits)
    if proven:
        sentences.append(f"Limits on {listed(proven)} are proven at every instant.")
    if absent:
        sentences.append(f"Not checked, because the profile has no limits: {absent}.")
    if limits.torque_max is not None:
        sentences.append(f"Torque is predicted {sampled}")
    if mechanism.chain.passive:
        sentences.append(f"Closure of the loops is checked {sampled}")
    if workspace is None:
        sentences.append("Workspace and tool are not checked, because the loops cannot be closed.")
    elif not workspace.names:
        sentences.append("The workspace has no constraints: bodies and tool are not checked.")
    elif workspace.passive:
        sentences.append(
            "Workspace and tool are sampled so densely that distances may change between samples "
            "twice as fast as observed; for passive joints this is not a proof."
        )
    else:
        sentences.append("Workspace and tool are proven at every instant, for the shapes used.")
    return (*sentences, *(workspace.notes if workspace is not None else ()))


def _absent(limits: Limits) -> tuple[str, str]:
    """Return in words which limits a robot lacks, and their keys; empty if it has all."""
    absent = [name for name in (*_PROVEN, "torque_max") if getattr(limits, name) is None]
    names = listed(name.removesuffix("_max") for name in absent) if absent else ""
    return names, ", ".join(f"`limits.{name}`" for name in absent)
