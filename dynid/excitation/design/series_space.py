"""Fourier series that start and end at rest, as a linear space, and limits on them as slacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Motion, central_difference
from dynid.excitation.ramp import Ramp
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.limits import JointLimits


@dataclass(frozen=True, eq=False)
class SeriesSpace:
    """Finite Fourier series of n joints whose velocity and acceleration vanish at either end.

    A series (see FourierExcitation) has 1 + 2 L coefficients a joint: position, sines, cosines.
    Rest at the ends requires zero velocity and acceleration there, a given start position one more
    value: these linear equations are satisfied for any coordinates y (n, d). With y = 0 the joints
    rest at ``pose``.

    Attributes:
        pose: position about which the space is centred (n,) [rad or m].
        base_frequency: [Hz].
        harmonics: L, 3 or more.
        from_pose: the motion starts at the pose; otherwise its start is free.
    """

    pose: Array
    base_frequency: float
    harmonics: int
    from_pose: bool = False

    @property
    def dimension(self) -> int:
        """Coordinates of each joint, d."""
        return int(self._coefficients.shape[1])

    def basis(self, samples: int) -> Motion:
        """Return the contribution of each coordinate over a period; arrays (samples, d)."""
        position, velocity, acceleration = self._rows(np.arange(samples) / samples)
        to = self._coefficients
        return Motion(position @ to, velocity @ to, acceleration @ to)

    def motion(self, basis: Motion, y: Array) -> Motion:
        """Return the motion with the coordinates y (n, d); arrays (samples, n)."""
        position, velocity, acceleration = (part @ y.T for part in basis)
        return Motion(self.pose + position, velocity, acceleration)

    def excitation(self, y: Array, periods: int) -> FourierExcitation:
        """Return the series with the coordinates y (n, d), repeated without a break."""
        coefficients = y @ self._coefficients.T
        ends = 1 + self.harmonics
        return FourierExcitation(
            self.pose + coefficients[:, 0],
            coefficients[:, 1:ends],
            coefficients[:, ends:],
            self.base_frequency,
            Ramp(0.0, periods / self.base_frequency),
        )

    @cached_property
    def _coefficients(self) -> Array:
        """From coordinates to coefficients (1 + 2 L, d), orthonormal."""
        position, velocity, acceleration = self._rows(np.zeros(1))
        still = [velocity, acceleration, *([position] if self.from_pose else [])]
        # rows of unit norm, so that the rank is computed correctly
        rows = np.vstack([row / np.linalg.norm(row) for row in still])
        return np.asarray(scipy.linalg.null_space(rows))

    def _rows(self, phase: Array) -> Motion:
        """Return the contribution of each coefficient at phases (N,); arrays (N, 1 + 2 L)."""
        rates = 2 * np.pi * self.base_frequency * np.arange(1, self.harmonics + 1)
        angle = np.outer(phase / self.base_frequency, rates)
        sine, cosine = np.sin(angle), np.cos(angle)
        constant = np.ones((len(phase), 1))
        return Motion(
            np.hstack([constant, sine / rates, -cosine / rates]),
            np.hstack([0 * constant, cosine, sine]),
            np.hstack([0 * constant, -sine * rates, cosine * rates]),
        )


_INEXACT = 1e-5
"""[m] by which a computed distance may be too large, with a reserve: coal's are exact to 1e-6 m."""

_SHARE_WITH_FULL_SLACK = 0.5
"""Share of a torque limit up to which the slack is 1."""


@dataclass(frozen=True, eq=False)
class PredictedTorqueLimit:
    """Limits on the predicted torque.

    Attributes:
        mechanism: with the parameters.
        allowed: largest torque of each joint (n,) [N m or N].
    """

    mechanism: Mechanism
    allowed: Array

    def slack(self, motion: Motion) -> Array:
        """Return the slacks (N, n); -inf where the state is not possible."""
        try:
            torque = self.mechanism.torque(*motion, self.mechanism.parameters)
        except MechanismError:  # a closed chain cannot be closed there
            return np.full_like(motion.position, -np.inf)
        return np.asarray((1 - np.abs(torque) / self.allowed) / (1 - _SHARE_WITH_FULL_SLACK))

    def slopes(self, motion: Motion, near: NDArray[np.bool_]) -> Array:
        """Return the slopes of the m slacks that are ``near`` (N, n), by central differences.

        By each sample's position, velocity and acceleration, (m, 3, n).
        """
        samples = near.any(axis=1)
        part_of_motion = Motion(*(part[samples] for part in motion))
        joints = len(self.allowed)
        slopes = np.empty((np.count_nonzero(near), 3, joints))
        for order, joint in product(range(3), range(joints)):
            change = central_difference(self.slack, part_of_motion, order, joint)
            slopes[:, order, joint] = change[near[samples]]
        return slopes


class WorkspaceLimit:
    """Limits on distances of the robot's bodies to each other and to obstacles, and on the tool.

    Slacks below 1 are exact. A distance that the last motion proves to be far is not computed: its
    slack is a lower bound of 1 or more, which has no effect on a barrier.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._scale = workspace.scale
        self._last: tuple[Array, Array] | None = None  # positions (N, n), bounds of slacks (N, K)
        self._slide = np.zeros(0)
        self._levers = np.zeros((0, 0))

    def slack(self, motion: Motion) -> Array:
        """Return the slacks (N, C); -inf where the state is not possible."""
        least = self._least(motion.position)
        wanted = ~(least >= 1)  # NaN is no proof
        try:
            slack = np.asarray(self.workspace.margins(motion, wanted) / self._scale)
        except MechanismError:
            return np.full((len(motion.position), len(self._scale)), -np.inf)
        distances = slack[:, : wanted.shape[1]]
        distances[~wanted] = least[~wanted]
        if np.isfinite(distances).all():
            self._last = motion.position, distances.copy()
        return slack

    def _least(self, position: Array) -> Array:
        """Return lower bounds of the slacks of distances (N, K), by their rates of change."""
        count = len(self.workspace.pairs)
        if self.workspace.passive or self._last is None or len(self._last[0]) != len(position):
            return np.full((len(position), count), -np.inf)
        before, slack = self._last
        slide = np.maximum(np.abs(before), np.abs(position)).max(axis=0)
        if len(self._slide) != len(slide) or np.any(slide > self._slide):
            self._slide = 2 * slide
            self._levers = self.workspace.distance_levers(self._slide)
        change = np.abs(position - before) @ self._levers.T + _INEXACT
        return np.asarray(slack - change / self._scale[:count])

    def slopes(self, motion: Motion, near: NDArray[np.bool_]) -> Array:
        """Return the slopes (m, 3, n) of the m slacks that are ``near`` (N, C)."""
        scale = self._scale[np.nonzero(near)[1], np.newaxis, np.newaxis]
        slopes = self.workspace.slopes(motion, near) / scale
        return np.concatenate([slopes, np.zeros_like(slopes[:, :1])], axis=1)


StateLimit = PredictedTorqueLimit | WorkspaceLimit
"""Limits that apply at every instant, as functions of the state."""


class MotionBounds:
    """Bounds on position, velocity and acceleration of a series, at every instant.

    A trigonometric polynomial of degree L whose size is at most c cos(π L / N) at N even steps is
    at most c everywhere (Ehlich and Zeller 1964, Schwankung von Polynomen zwischen Gitterpunkten).
    Bounds tightened by that factor at the samples are therefore valid between them, too.

    Args:
        space: of the series.
        bounds: of the joints; that on torque is not used.
        per_cycle: samples for each period of the highest harmonic.
    """

    def __init__(self, space: SeriesSpace, bounds: JointLimits, per_cycle: int = 32) -> None:
        samples = per_cycle * space.harmonics
        tightened = np.cos(np.pi / per_cycle)
        middle = bounds.middle if np.all(np.isfinite(bounds.low)) else space.pose
        sizes = tightened * np.stack([bounds.half, bounds.velocity, bounds.acceleration], axis=1)
        offsets = np.zeros_like(sizes)
        offsets[:, 0] = space.pose - middle
        self._basis = np.vstack(space.basis(samples))  # (3 samples, d), of every joint
        self._sizes = np.repeat(sizes, samples, axis=1)  # (n, 3 samples)
        self._rest = np.repeat(offsets / sizes, samples, axis=1)  # with all coordinates 0

    def slack(self, y: Array) -> Array:
        """Return 1 minus the used share of each bound at coordinates y (n, d); (n, 2, rows)."""
        used = y @ self._basis.T / self._sizes + self._rest
        return np.stack([1 - used, 1 + used], axis=1)

    def reach(self, slack: Array, step: Array) -> float:
        """Return the largest factor of ``step`` (n, d) until the first slack is 0."""
        change = step @ self._basis.T / self._sizes
        ratio = float(np.max(np.stack([change, -change], axis=1) / slack))
        return 1 / ratio if ratio > 0 else np.inf

    def pull(self, by_slack: Array) -> Array:
        """Return the derivative by y (n, d) from the derivatives by slacks (n, 2, rows)."""
        return np.asarray((by_slack[:, 1] - by_slack[:, 0]) / self._sizes @ self._basis)

    def curvature(self, weights: Array) -> Array:
        """Return Σ w s sᵀ of each joint's slopes s by its coordinates, (n, d, d)."""
        joints, dimension = len(self._sizes), self._basis.shape[1]
        curvature = np.empty((joints, dimension, dimension))
        shares = np.sqrt(weights.sum(axis=1)) / self._sizes
        for block, share in zip(curvature, shares, strict=True):
            weighted = self._basis * share[:, np.newaxis]
            block[:] = weighted.T @ weighted
        return curvature
