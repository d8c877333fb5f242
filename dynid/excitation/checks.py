"""What must hold before a robot is moved; each refusal is one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.errors import ExcitationError, MechanismError, PlaybackError
from dynid.excitation.finite import check_finite
from dynid.excitation.limit_use import LimitUse, first_broken, limit_use
from dynid.excitation.limits import limit_uses, sample_peaks
from dynid.excitation.motion import Motion
from dynid.excitation.workspace.proof import workspace_uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.limits import Peaks
    from dynid.excitation.motion import Excitation
    from dynid.excitation.workspace.pairs import LeftOut
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.robot.limits import Limits

_PROVEN = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class MotionCheck:
    """What a motion uses of the limits.

    Attributes:
        uses: of every limit that there is.
        violation: a sentence on what is violated first; None for a motion that is safe.
        time: when that begins [s]; None where the motion does not begin and end at rest.
        grounds: sentences on what was proven at every instant, and what was only sampled.
        unchecked: what was not checked, and why; see :func:`unchecked`.
        broken: the limit that is violated first; None where none is, or where it is something else
            that is violated, such as the reach of a closed chain.
        pairs: names of the bodies and obstacles whose distances were checked.
        left_out: pairs whose distances were not, and why.
    """

    uses: tuple[LimitUse, ...]
    violation: str | None
    time: float | None
    grounds: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    broken: LimitUse | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def verdict(self) -> str:
        """A sentence: that the motion is safe, what it violates, or what is not known."""
        if self.violation is not None:
            return f"Not safe: {self.violation}"
        return kept_sentence(self.unchecked)


def kept_sentence(unchecked: Sequence[str]) -> str:
    """Return what may be said of a motion that keeps every limit that was checked."""
    if not unchecked:
        return "Safe: every limit is kept."
    return f"Limits kept; {'; '.join(unchecked)}."


def unchecked(limits: Limits, workspace: Workspace) -> tuple[str, ...]:
    """Return what a check cannot find wrong, as nothing is known of it.

    Each is such as "collisions with floor or table not checked: no plane under
    `workspace.planes`". What the profile declines in so many words is not among it.
    """
    absent = [name for name in (*_PROVEN, "torque_max") if getattr(limits, name) is None]
    if not absent:
        return workspace.unchecked
    keys = ", ".join(f"`limits.{name}`" for name in absent)
    return (*workspace.unchecked, f"{_listed(absent)} not checked: no {keys}")


def sliding_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the names of the joints that slide, of which sentences speak in m and N."""
    pairs = zip(mechanism.joints, mechanism.joint_types, strict=True)
    return tuple(joint for joint, kind in pairs if kind == "prismatic")


def examine_motion(
    excitation: Excitation, limits: Limits, mechanism: Mechanism, workspace: Workspace
) -> MotionCheck:
    """Hold a motion against position, velocity, acceleration and torque limits, and workspace.

    Args:
        excitation: the motion.
        limits: those that are absent are not checked.
        mechanism: predicts torque by its current parameters.
        workspace: what the robot must keep clear of.
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
        violations.append((broken.passed, broken.sentence()))
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
    """Raise unless a motion keeps position, velocity, acceleration, torque limits and workspace.

    Args:
        excitation: the motion.
        limits: those that are absent are not checked.
        mechanism: predicts torque by its current parameters.
        workspace: what the robot must keep clear of.

    Raises:
        ExcitationError: a sentence on the first violation, with joint or pair, time and amount.
    """
    violation = examine_motion(excitation, limits, mechanism, workspace).violation
    if violation is not None:
        raise ExcitationError(violation)


def check_reachable(
    move: Excitation, limits: Limits, mechanism: Mechanism, workspace: Workspace
) -> None:
    """Raise a PlaybackError where the way to the start is not one that the robot may take."""
    try:
        check_motion(move, limits, mechanism, workspace)
    except ExcitationError as error:
        message = f"the start cannot be reached from where the robot stands: {error}"
        raise PlaybackError(message) from None


def _torque_uses(
    peaks: Peaks, reached: NDArray[np.bool_], limits: Limits, mechanism: Mechanism
) -> list[LimitUse]:
    if limits.torque_max is None or not reached.any():
        return []
    time, motion = peaks.time[reached], Motion(*(one[reached] for one in peaks.motion))
    allowed = per_joint(limits.torque_max, len(mechanism.joints), "torque_max")
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
    """Return when a motion leaves what a closed chain can reach [s], and a sentence on it."""
    first = int(np.argmin(reached))
    where = ""
    try:
        mechanism.moving_positions(peaks.motion.position[first])
    except MechanismError as error:
        _, _, where = str(error).partition(": ")
    time = float(peaks.time[first])
    return time, (
        f"the motion leaves what the closed chain can reach, {time:.3f} s after its start: {where} "
        "Choose limits, centre or span that stay within."
    )


def _grounds(
    peaks: Peaks, limits: Limits, mechanism: Mechanism, workspace: Workspace | None
) -> tuple[str, ...]:
    """Sentences on how much of a check is proof; ``workspace`` None: it could not be looked at."""
    count, step = len(peaks.time), 1e3 * float(np.max(np.diff(peaks.time)))
    sampled = f"at {count} instants, at most {step:.3g} ms apart, and not between them."
    told = []
    proven = [name for name in _PROVEN if getattr(limits, name) is not None]
    absent = [name for name in (*_PROVEN, "torque_max") if getattr(limits, name) is None]
    if proven:
        told.append(f"Limits on {_listed(proven)} are proven at every instant.")
    if absent:
        told.append(f"The profile has no limits on {_listed(absent)}: these are not looked at.")
    if limits.torque_max is not None:
        told.append(f"Torque is predicted {sampled}")
    if mechanism.chain.passive:
        told.append(f"Whether the loops can be closed is looked at {sampled}")
    if workspace is None:
        told.append("Workspace and tool are not looked at, as the loops cannot be closed.")
    elif not workspace.names:
        told.append("The workspace has nothing to check: bodies and tool are not looked at.")
    elif workspace.passive:
        told.append(
            "Workspace and tool are looked at so densely that the change between samples may be "
            "twice what it seems; for passive joints that is no proof."
        )
    else:
        told.append("Workspace and tool are proven at every instant, for the shapes used.")
    return (*told, *(workspace.notes if workspace is not None else ()))


def _listed(names: list[str]) -> str:
    """``position, velocity and torque``."""
    words = [name.removesuffix("_max") for name in names]
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])
