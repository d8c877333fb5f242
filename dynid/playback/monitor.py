"""Supervision of tracking error and torque, which ends a motion early."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options
from dynid.playback.plan import Plan
from dynid.playback.robot_state import JointStateSample
from dynid.robot.torque_settings import CollisionSettings

_DELAY_NS = 50_000_000
"""Permitted delay of a robot [ns]: the dead time of drives and the lag of their loops."""

_PERSISTENCE_NS = 50_000_000
"""Time for which torque must exceed its threshold [ns]: longer than noise and reversals."""


class Monitor:
    """Compares measured states with the reference at the instant of measurement.

    To permit the delay of the drives, the error is the distance from the range of the reference
    (and of the model's torque) between 50 ms before that instant and that instant.
    """

    def __init__(
        self,
        joints: tuple[str, ...],
        sliding: tuple[str, ...],
        *,
        tracking_error: Array,
        torque_factor: Array,
        torque_max: Array,
        torque_error: Array,
        model: Mechanism | None = None,
    ) -> None:
        """Supervise a robot.

        Args:
            joints: its n joints.
            sliding: those of them that are prismatic.
            tracking_error: largest permitted distance from the reference (n,) [rad or m].
            torque_factor: torque behind the gear per unit of effort (n,).
            torque_max: largest permitted torque (n,) [N m or N]; infinite: no limit.
            torque_error: likewise, difference from the model's torque.
            model: identified model to compare torques with.
        """
        self._joints, self._sliding, self._model = joints, sliding, model
        self._tracking_error, self._torque_factor = tracking_error, torque_factor
        self._torque_max, self._torque_error = torque_max, torque_error
        self.peaks: Array = np.zeros(len(joints))
        """Largest tracking errors so far (n,) [rad or m]."""
        self.lags = False
        """Whether the robot was away from its reference in the newest state watched."""
        self._exceeded_since: dict[str, int] = {}

    def watch(self, state: JointStateSample, follower: TrajectoryFollower) -> str | None:
        """Return why the motion must end, or None."""
        instants = (state.stamp_ns, state.stamp_ns - _DELAY_NS)
        error = _distance(state.position, [follower.reference(instant) for instant in instants])
        if not np.all(np.isfinite(state.position)):
            j = int(np.argmin(np.isfinite(state.position)))
            return f"joint '{self._joints[j]}': its reported position is {state.position[j]}."
        np.maximum(self.peaks, error, out=self.peaks)
        allowed = self._tracking_error
        self.lags = bool((error > allowed).any())
        if self.lags:
            j = int(np.argmax(error / allowed))
            unit = "m" if self._joints[j] in self._sliding else "rad"
            return (
                f"joint '{self._joints[j]}': its tracking error is {error[j]:.3g} {unit}, "
                f"at most {allowed[j]:g} {unit} are allowed."
            )
        if state.effort is None or not np.all(np.isfinite(state.effort)):
            return None  # reported as a separate fault after max_age
        torque = state.effort * self._torque_factor
        size, most = np.abs(torque), self._torque_max
        reason = self._excess("max", size, most, state.stamp_ns)
        if reason is None and self._model is not None:
            expected = self._model.torque(*follower.motion(instants), self._model.parameters)
            error, most = _distance(torque, expected), self._torque_error
            reason = self._excess("error", error, most, state.stamp_ns)
        return reason

    def _excess(self, kind: str, torque: Array, allowed: Array, stamp_ns: int) -> str | None:
        beyond = torque > allowed
        if not beyond.any():
            self._exceeded_since.pop(kind, None)
            return None
        # a later one is of another sender, or of a clock that was set
        since = min(stamp_ns, self._exceeded_since.get(kind, stamp_ns))
        self._exceeded_since[kind] = since
        if stamp_ns - since < _PERSISTENCE_NS:
            return None
        j = int(np.argmax(np.where(beyond, torque / allowed, 0.0)))
        unit = "N" if self._joints[j] in self._sliding else "N m"
        what = (
            f"its torque is {torque[j]:.4g} {unit}"
            if kind == "max"
            else f"its torque is {torque[j]:.4g} {unit} away from the model's, as in a collision"
        )
        return f"joint '{self._joints[j]}': {what}, at most {allowed[j]:g} {unit} are allowed."


def make_monitor(plan: Plan, options: Options) -> Monitor:
    """Return the monitor of a plan, with the robot's limits and its model if identified."""
    robot = plan.robot
    joints = len(robot.joints)
    torque_error = _torque_error(plan) if options.supervise_torque else None
    torque_max = robot.limits.of_joints(joints).torque
    unwatched = np.full(joints, np.inf)
    return Monitor(
        robot.joints,
        plan.sliding,
        tracking_error=np.full(joints, options.tracking_error),
        torque_factor=robot.drives.torque_factor(joints),
        torque_max=torque_max if options.supervise_torque else unwatched,
        torque_error=unwatched if torque_error is None else torque_error,
        model=plan.mechanism if plan.identified else None,
    )


def supervises_torque(plan: Plan, options: Options) -> bool:
    """Return whether measured torque can end a motion of a plan."""
    return options.supervise_torque and (
        plan.robot.limits.torque_max is not None or _torque_error(plan) is not None
    )


def supervision(plan: Plan, options: Options) -> list[str]:
    """Return sentences on missing supervision of a plan, to be logged before it starts."""
    if not options.supervise_torque:
        return ["Torque is not supervised: supervise_torque is false."]
    if not supervises_torque(plan, options):
        missing = "no identified model" if not plan.identified else "no collision thresholds"
        return [f"Torque is not supervised: the robot has no limits.torque_max, and {missing}."]
    return []


def _torque_error(plan: Plan) -> Array | None:
    """Return the permitted torque error (n,) [N m or N], None where it is not supervised."""
    if not plan.identified:
        return None
    return plan.robot.settings(CollisionSettings).threshold_at_rest(len(plan.robot.joints))


def _distance(measured: Array, expected: Sequence[Array] | Array) -> Array:
    """Return the distance of values (n,) from the range of two expected ones (n,)."""
    low, high = np.minimum(expected[0], expected[1]), np.maximum(expected[0], expected[1])
    distance: Array = np.maximum(np.maximum(low - measured, measured - high), 0.0)
    return distance
