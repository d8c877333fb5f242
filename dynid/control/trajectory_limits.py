"""Accelerations that keep every torque within the drives' limits, for planners of trajectories.

A planner such as MoveIt bounds each joint's velocity and acceleration by a constant. The torque

    tau = M(q) ddq + b(q, dq)

stays within its limits for all accelerations |ddq_j| <= a_j if |M(q)| a <= tau_max - |b(q, dq)| in
every state. Of all such a, those are taken with which random moves are shortest on average. States
are samples up to the largest velocities, then those that a search finds to be worse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy
import yaml

from dynid.arrays import Array
from dynid.control.torque_space import TorqueSpace, move_times, quickest_accelerations, torque_space
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.model import Model

_SAMPLES = 2**15
_CHECKED = 2**14  # fresh states, a power of two for Sobol's sequence
_SCALES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
_MOVES = 1024
_ROUNDS = 4  # of the search for worse states
_STARTS = 2  # of each joint in a round
_STEPS = 30
_TORQUE_TOLERANCE = 1e-3  # by which a state may exceed the torque before the search goes on


@dataclass(frozen=True, eq=False)
class TrajectoryLimits:
    """Velocities and accelerations for a planner.

    Attributes:
        joints: their names; n of them.
        velocity: largest velocity (n,) [rad/s or m/s].
        acceleration: largest acceleration (n,) [rad/s^2 or m/s^2].
        torque_max: largest torque of the drives (n,) [N m or N].
        reserve: share of it (n,) that is left for errors of the model.
        highest_use: largest torque over ``torque_max`` (n,) in the states of the check.
        checked: number of those states; they were not used for the accelerations.
    """

    joints: tuple[str, ...]
    velocity: Array
    acceleration: Array
    torque_max: Array
    reserve: Array
    highest_use: Array
    checked: int

    def moveit_text(self, header: Sequence[str]) -> str:
        """Return the text of MoveIt's ``joint_limits.yaml``.

        Args:
            header: lines of its comment.
        """
        entries = {
            joint: {
                "has_velocity_limits": True,
                "max_velocity": rounded_down(velocity),
                "has_acceleration_limits": True,
                "max_acceleration": rounded_down(acceleration),
            }
            for joint, velocity, acceleration in zip(
                self.joints, self.velocity, self.acceleration, strict=True
            )
        }
        comment = "".join(f"# {line}\n" for line in header)
        return comment + yaml.safe_dump({"joint_limits": entries}, sort_keys=False)


def rounded_down(value: float) -> float:
    """Return a number above 0 with four digits that is not larger."""
    digits = 3 - int(np.floor(np.log10(value)))
    return round(float(np.floor(value * 10.0**digits)) / 10.0**digits, max(digits, 0))


def trajectory_limits(
    model: Model,
    mechanism: Mechanism | None = None,
    *,
    velocity_scale: float | None = None,
    ramp_time: float = 0.05,
    along: Array | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> TrajectoryLimits:
    """Find velocities and accelerations that keep torques within ``limits.torque_max``.

    Args:
        model: of the robot; three times its RMS torque errors are left to the drives.
        mechanism: the same robot with a payload; None: the model's own.
        velocity_scale: largest velocity over ``limits.velocity``; None: the one of several with
            which moves between random positions are shortest on average.
        ramp_time: shortest time to the largest velocity [s].
        along: positions of a path (N, n) [rad or m] to which the limits are restricted; None: they
            hold in the whole range of ``limits.position``.
        progress: called with the name of each step.

    Raises:
        ConfigurationError: a limit is missing, or velocity and gravity alone need more torque than
            a drive has.
    """
    mechanism = mechanism or model.mechanism

    def space_at(scale: float) -> TorqueSpace:
        return torque_space(model, mechanism, scale, ramp_time, along)

    moves = _moves(space_at(1.0))
    if velocity_scale is None:
        progress("comparing velocities")
        scales = _quickest_scales(space_at, moves)
    else:
        scales = [velocity_scale]
    progress("finding accelerations")
    for scale in scales[:-1]:
        with suppress(ConfigurationError):  # worse states are found at a speed than those compared
            return _limits_in(space_at(scale), moves)
    return _limits_in(space_at(scales[-1]), moves)


def _limits_in(space: TorqueSpace, moves: Array) -> TrajectoryLimits:
    bounds = _StateBounds.of(space, *space.draw(_SAMPLES, seed=0))
    acceleration, bounds = _refined(space, bounds, moves)
    fresh = _StateBounds.of(space, *space.draw(_CHECKED, seed=_ROUNDS))
    for states in (bounds, fresh):
        acceleration = acceleration * _share(space, acceleration, states)
    use = space.use(acceleration, fresh.q, fresh.dq).max(axis=0)
    return TrajectoryLimits(
        joints=space.mechanism.joints,
        velocity=space.velocity,
        acceleration=acceleration,
        torque_max=space.torque_max,
        reserve=1 - space.allowed / space.torque_max,
        highest_use=use * space.allowed / space.torque_max,
        checked=len(fresh.q),
    )


def _quickest_scales(space_at: Callable[[float], TorqueSpace], moves: Array) -> list[float]:
    """Return scales of the velocities, those with the shortest moves on average first."""
    times: dict[float, float] = {}
    for scale in _SCALES:
        space = space_at(scale)
        try:
            accelerations = _StateBounds.of(space, *space.draw(_SAMPLES // 4, seed=0)).quickest(
                space, moves
            )
        except ConfigurationError:
            if scale == _SCALES[-1] and not times:
                raise
            continue
        times[scale] = float(move_times(moves, space.velocity, accelerations).mean())
    return sorted(times, key=lambda scale: times[scale])


def _moves(space: TorqueSpace) -> Array:
    """Return distances (N, n) between pairs of random positions."""
    ends = space.draw(2 * _MOVES, seed=0)[0]
    order = np.random.default_rng(0).permutation(len(ends) // 2 * 2)
    first, second = ends[order].reshape(2, -1, ends.shape[1])
    distances = first - second
    return np.asarray(distances[np.abs(distances).max(axis=1) > 0])


@dataclass(frozen=True, eq=False)
class _StateBounds:
    """States (N, n), and what they leave: ``rows`` (N n, n) with rows a <= 1."""

    q: Array
    dq: Array
    rows: Array

    @classmethod
    def of(cls, space: TorqueSpace, q: Array, dq: Array) -> _StateBounds:
        """Find the bounds of states.

        Raises:
            ConfigurationError: one of them needs more than the torque without acceleration.
        """
        mass, bias = space.mass_and_bias(q, dq)
        use = (bias / space.allowed).max(axis=0)
        if use.max() >= 1:
            joint = int(use.argmax())
            raise ConfigurationError(
                f"{space.mechanism.joints[joint]}: without acceleration, gravity, speed and "
                f"friction need {100 * use[joint]:.0f} % of the torque that the drive has; reduce "
                "the speed with --velocity-scale, the payload, or the range in limits.position."
            )
        rows = mass / (space.allowed - bias)[..., None]
        return cls(q, dq, rows.reshape(-1, q.shape[1]))

    def quickest(self, space: TorqueSpace, moves: Array) -> Array:
        """Return the accelerations (n,) with the shortest moves."""
        return quickest_accelerations(self.rows, space.most, moves, space.velocity)

    def __add__(self, other: _StateBounds) -> _StateBounds:
        return _StateBounds(
            np.concatenate([self.q, other.q]),
            np.concatenate([self.dq, other.dq]),
            np.concatenate([self.rows, other.rows]),
        )


def _refined(space: TorqueSpace, bounds: _StateBounds, moves: Array) -> tuple[Array, _StateBounds]:
    """Return accelerations that hold in worse states too, and the bounds of all states.

    Raises:
        ConfigurationError: a state needs more than the torque without acceleration.
    """
    acceleration = bounds.quickest(space, moves)
    for _ in range(_ROUNDS if space.path is None else 0):
        worse = _search(space, acceleration, bounds.q, bounds.dq)
        exceeded = space.use(acceleration, *worse).max()
        bounds += _StateBounds.of(space, *worse)
        acceleration = bounds.quickest(space, moves)
        if exceeded < 1 + _TORQUE_TOLERANCE:
            break
    return acceleration, bounds


def _search(space: TorqueSpace, acceleration: Array, q: Array, dq: Array) -> tuple[Array, Array]:
    """Return states near the worst samples of each joint in which torques are higher still."""
    use = space.use(acceleration, q, dq)
    n = q.shape[1]
    bounds = [*zip(space.low, space.high, strict=True), *((-v, v) for v in space.velocity)]
    optima = []
    for joint in range(n):
        for start in np.argsort(use[:, joint])[-_STARTS:]:
            answer = scipy.optimize.minimize(
                lambda x, joint=joint: -_use_of(space, acceleration, x, joint),
                np.concatenate([q[start], dq[start]]),
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": _STEPS},
            )
            optima.append(answer.x)
    states = np.array(optima)
    reached = space.mechanism.reachable(states[:, :n])
    return states[reached, :n], states[reached, n:]


def _use_of(space: TorqueSpace, acceleration: Array, state: Array, joint: int) -> float:
    q, dq = state.reshape(2, 1, -1)
    if not space.mechanism.reachable(q)[0]:
        return 0.0
    ddq = np.sign(space.mechanism.mass_matrix(q)[:, joint]) * acceleration
    return float(space.use_of(joint, ddq, q, dq)[0])


def _share(space: TorqueSpace, acceleration: Array, states: _StateBounds) -> float:
    """Return the largest factor up to 1 with which no state exceeds the allowed torque.

    It is below 1 if friction grows with load, or if a state is worse than those known before.
    """
    total = space.use(acceleration, states.q, states.dq) * space.allowed
    bias = np.abs(space.torque(states.q, states.dq, 0 * states.q))
    above = total > space.allowed
    share = np.divide(
        space.allowed - bias, total - bias, out=np.ones_like(total), where=above & (total > bias)
    )
    return float(share.min())
