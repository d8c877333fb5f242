"""States that a robot can be in, the torque that its drives have left there, and what it allows.

Accelerations within such bounds are those with which random moves take the least time on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, EstimationError
from dynid.robot.model import Model

_SLIDING = 10.0  # distances of presliding friction, after which it slides
_SMALLEST_LIMIT = 1e-9  # [rad/s, rad/s^2; m/s, m/s^2] of a limit with which a robot still moves
_DEVIATIONS = 3.0  # RMS torque errors of the model that are left to the drives


@dataclass(frozen=True, eq=False)
class TorqueSpace:
    """Where the robot moves, how fast, and what its drives bear.

    Attributes:
        velocity: largest (n,) [rad/s or m/s].
        most: largest acceleration of all (n,) [rad/s^2 or m/s^2].
        torque_max: largest torque of the drives (n,) [N m or N].
        allowed: that of the model (n,), less by its errors.
        low, high: bounds of the positions (n,) [rad or m].
        path: positions and velocities (2, N, n) that are the only ones; None: all within bounds.
    """

    mechanism: Mechanism
    velocity: Array
    most: Array
    torque_max: Array
    allowed: Array
    low: Array
    high: Array
    path: Array | None

    def draw(self, count: int, seed: int) -> tuple[Array, Array]:
        """Return positions and velocities (N, n) of states; of a path always all."""
        if self.path is not None:
            return self.path[0], self.path[1]
        n = len(self.velocity)
        unit = scipy.stats.qmc.Sobol(2 * n, seed=seed).random(count)
        q = self.low + (self.high - self.low) * unit[:, :n]
        q = q[self.mechanism.reachable(q)]
        # rest and both directions: a Coriolis torque can relieve a drive from gravity
        dq = self.velocity * (np.floor(3 * unit[: len(q), n:]) - 1)
        if not len(q):
            raise ConfigurationError(
                "limits: the loops of the closed chain cannot be closed anywhere in "
                "limits.position; give the range in which the robot moves."
            )
        return q, dq

    def torque(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Return the torque (N, n) of states that friction has reached by sliding."""
        slides = [term.scale + term.dead_band for term in self.mechanism.terms]
        before = q - _SLIDING * max(slides, default=0.0) * np.sign(dq)
        pairs = (np.stack(both, axis=1) for both in ((before, q), (dq, dq), (ddq, ddq)))
        motion = (pair.reshape(-1, q.shape[1]) for pair in pairs)
        before_and_now = self.mechanism.torque(
            next(motion), next(motion), next(motion), self.mechanism.parameters
        )
        return before_and_now[1::2]

    def mass_and_bias(self, q: Array, dq: Array) -> tuple[Array, Array]:
        """Return |M| (N, n, n) and |b| (N, n) of states."""
        return np.abs(self.mechanism.mass_matrix(q)), np.abs(self.torque(q, dq, 0 * q))

    def use(self, acceleration: Array, q: Array, dq: Array) -> Array:
        """Return for each joint its largest torque over the allowed one (N, n)."""
        signs = np.sign(self.mechanism.mass_matrix(q))
        joints = range(q.shape[1])
        uses = [self.use_of(j, signs[:, j] * acceleration, q, dq) for j in joints]
        return np.stack(uses, axis=1)

    def use_of(self, joint: int, ddq: Array, q: Array, dq: Array) -> Array:
        """Return a joint's larger torque of both directions over the allowed one (N,)."""
        both = (self.torque(q, dq, side * ddq)[:, joint] for side in (-1.0, 1.0))
        return np.asarray(np.maximum(*map(np.abs, both)) / self.allowed[joint])


def torque_space(
    model: Model, mechanism: Mechanism, velocity_scale: float, ramp_time: float, along: Array | None
) -> TorqueSpace:
    """Return the states of a robot, up to a share of its velocities.

    Args:
        model: of the robot; three times its RMS torque errors are left to the drives.
        mechanism: the model's own, or with a payload.
        velocity_scale: largest velocity over ``limits.velocity``.
        ramp_time: shortest time to the largest velocity [s].
        along: positions of a path (N, n), the only ones; None: all of ``limits.position``.

    Raises:
        ConfigurationError: a limit is missing or too low.
    """
    if not ramp_time > 0:
        raise ConfigurationError(f"--ramp-time {ramp_time:g}: must be above 0 s.")
    if not 0 < velocity_scale <= 1:
        raise ConfigurationError(
            f"--velocity-scale {velocity_scale:g}: must be above 0, and at most 1."
        )
    if mechanism.semi_static:
        raise ConfigurationError(
            f"{model.robot.name}: semi_static models have no inertia, which accelerations need."
        )
    velocity = velocity_scale * limit_of(model, "velocity")
    torque_max = limit_of(model, "torque_max")
    errors = 0.0 if model.errors is None else np.array(model.errors.rmse_torque)
    allowed = torque_max - _DEVIATIONS * errors
    if allowed.min() <= 0:
        raise ConfigurationError(
            f"{model.robot.joints[int(allowed.argmin())]}: three times the model's RMS torque "
            "error is more than limits.torque_max; identify a better model."
        )
    if along is None:
        low, high = limit_of(model, "position")
    else:
        low, high = along.min(axis=0), along.max(axis=0)
    path = None if along is None else _along(along, velocity)
    most = _ramped(velocity, ramp_time)
    return TorqueSpace(mechanism, velocity, most, torque_max, allowed, low, high, path)


def _ramped(velocity: Array, ramp_time: float) -> Array:
    """Return the accelerations (n,) to velocities (n,) in a time, unless they are none at all."""
    with np.errstate(over="ignore"):
        most = velocity / ramp_time
    if min(velocity.min(), most.min()) < _SMALLEST_LIMIT:
        raise ConfigurationError(
            f"--velocity-scale and --ramp-time leave a velocity of {velocity.min():g} rad/s or m/s "
            f"and an acceleration of {most.min():g} rad/s^2 or m/s^2, which is no motion; expected "
            f"at least {_SMALLEST_LIMIT:g} of both."
        )
    return np.asarray(most)


def _along(positions: Array, velocity: Array) -> Array:
    """Return states along a path in both directions, as fast as the joints allow, and at rest."""
    step = np.gradient(positions, axis=0)
    slowest = np.max(np.abs(step) / velocity, axis=1, keepdims=True)
    fastest = np.divide(step, slowest, out=np.zeros_like(step), where=slowest > 0)
    return np.stack([np.tile(positions, (3, 1)), np.concatenate([fastest, -fastest, 0 * fastest])])


def limit_of(model: Model, name: str) -> Array:
    """Return a limit of all joints: (n,), of positions the lower and the upper (2, n)."""
    limits = model.robot.limits
    if getattr(limits, name) is None:
        raise ConfigurationError(
            f"{model.robot.name}: limits.{name} is missing, which accelerations depend on."
        )
    low, high, velocity, _, torque = limits.of_joints(len(model.robot.joints))
    found = {"position": np.stack([low, high]), "velocity": velocity, "torque_max": torque}
    return found[name]


_BOUND_TOLERANCE = 1e-6  # by which a bound may be exceeded before it is added to the problem
_ROUNDS = 8
_LEAST_WEIGHT = 0.01
_SOLVED = ("Solved", "AlmostSolved")


def move_times(distances: Array, velocity: Array, acceleration: Array) -> Array:
    """Return durations (N,) [s] of straight moves in joint space, with trapezoids of velocity.

    Args:
        distances: of the joints, (N, n) [rad or m].
        velocity: largest (n,) [rad/s or m/s].
        acceleration: largest (n,) [rad/s^2 or m/s^2].
    """
    size = np.abs(distances)
    speed = 1 / np.max(size / velocity, axis=1)  # of the whole move, which has the length 1
    rate = 1 / np.max(size / acceleration, axis=1)
    return np.asarray(np.where(speed**2 < rate, 1 / speed + speed / rate, 2 / np.sqrt(rate)))


def quickest_accelerations(rows: Array, most: Array, distances: Array, velocity: Array) -> Array:
    """Return accelerations a (n,) with ``rows a <= 1`` and the shortest moves on average.

    The weighted product of accelerations is maximised, a concave problem. The weight of a joint is
    the derivative of the mean duration by the logarithm of its acceleration, found again in each
    round, which is a sequence of convex approximations of the mean duration.

    Args:
        rows: bounds (N, n), not negative.
        most: largest accelerations of all (n,) [rad/s^2 or m/s^2].
        distances: of moves (K, n) [rad or m].
        velocity: largest (n,) [rad/s or m/s].

    Raises:
        EstimationError: the solver fails.
    """
    rows = np.concatenate([np.diag(1 / most), rows])
    scale = 1 / rows.max(axis=0)  # of each joint alone
    rows = rows * scale
    weight = np.ones(len(most))
    best, shortest = 0 * scale, np.inf
    for _ in range(_ROUNDS):
        accelerations = scale * _largest_product(rows, weight / weight.sum())
        times = move_times(distances, velocity, accelerations)
        if times.mean() < shortest:
            best, shortest = accelerations, float(times.mean())
        weight = np.sqrt(weight / weight.sum() * _weight(distances, velocity, accelerations))
    return np.asarray(best)


def _weight(distances: Array, velocity: Array, acceleration: Array) -> Array:
    """Return the derivative of the mean duration by each logarithm (n,), up to its sign; sum 1."""
    size = np.abs(distances)
    speed = 1 / np.max(size / velocity, axis=1)
    rate = 1 / np.max(size / acceleration, axis=1)
    ramps = np.where(speed**2 < rate, speed / rate, 1 / np.sqrt(rate))
    limiting = np.argmax(size / acceleration, axis=1)
    total = np.bincount(limiting, weights=ramps, minlength=len(velocity))
    return np.asarray(np.maximum(total / total.sum(), _LEAST_WEIGHT))


def _largest_product(rows: Array, weight: Array) -> Array:
    """Return x (n,) above 0 with the largest weighted product and ``rows x <= 1``."""
    n = rows.shape[1]
    chosen = rows[rows.argmax(axis=0)]
    x = _solve(chosen, weight)
    # few of the many rows matter, and the solver fails with all of them
    while (rows @ x).max() > 1 + _BOUND_TOLERANCE:
        chosen = np.concatenate([chosen, rows[np.argsort(rows @ x)[-n:]]])
        x = _solve(chosen, weight)
    return np.asarray(x / (rows @ x).max())


def _solve(rows: Array, weight: Array) -> Array:
    count, n = rows.shape
    # variables x, t; maximise weight t with (t_j, 1, x_j) in the exponential cone: t_j <= log x_j
    cone = scipy.sparse.lil_matrix((3 * n, 2 * n))
    for joint in range(n):
        cone[3 * joint, n + joint] = cone[3 * joint + 2, joint] = -1.0
    block = scipy.sparse.vstack(
        [scipy.sparse.csc_matrix(np.hstack([rows, 0 * rows])), cone], format="csc"
    )
    bounds = np.concatenate([np.ones(count), np.tile([0.0, 1.0, 0.0], n)])
    cones = [clarabel.NonnegativeConeT(count), *n * [clarabel.ExponentialConeT()]]
    options = clarabel.DefaultSettings()
    options.verbose = False
    cost, nothing = np.concatenate([0 * weight, -weight]), scipy.sparse.csc_matrix((2 * n, 2 * n))
    solution = clarabel.DefaultSolver(nothing, cost, block, bounds, cones, options).solve()
    if str(solution.status) not in _SOLVED:
        raise EstimationError(
            "no accelerations were found that keep the torques within their limits; reduce the "
            "speed with --velocity-scale."
        )
    return np.array(solution.x)[:n]
