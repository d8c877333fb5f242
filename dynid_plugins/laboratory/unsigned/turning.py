"""The common sign of a drive's torque, by physical consistency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.estimate import Estimate
from dynid.estimation.physical import consistent_parameters
from dynid.estimation.regression import NormalEquations
from dynid.estimation.settings import PhysicalSettings
from dynid_plugins.laboratory.unsigned.search import SegmentEquations, improve

_SWEEPS = 4
_NOISE = 9.0  # change of the weighted squared error by noise of three standard deviations
_HARDLY = 1e-6
_TRUSTED = 2e-3  # torque error over torque assumed of the most accurate drive


@dataclass(frozen=True)
class Turned:
    """Cost of flipping signs, in variances of the torque error.

    Attributes:
        drives: (n,) of all signs of one drive.
        all: of all signs of all drives.
        by_urdf: (n,) bool, only the URDF's bodies decided.
        unknown: (n,) bool, nothing decided.
    """

    drives: Array
    all: float
    by_urdf: Array
    unknown: Array


class Turning:
    """Decision on the common sign of a drive by physical consistency.

    The squared error does not depend on the sign of all torques together, nor on that of a drive
    with separate parameters. But friction dissipates energy, and masses and inertias are positive,
    so the error with physically consistent parameters is smaller with the right sign.
    """

    def __init__(
        self, mechanism: Mechanism, base: BaseParameterization, physical: PhysicalSettings
    ) -> None:
        self._mechanism, self._base, self._physical = mechanism, base, physical
        self._drives = range(len(mechanism.joints))

    def settle(self, equations: SegmentEquations, weight: Array, signs: Array) -> Array:
        """Flip drives as long as this reduces the error with physically consistent parameters."""
        gain = equations.weighted(weight).gain()
        cost = self.cost(equations, weight, signs)
        for _ in range(_SWEEPS):
            before = cost
            for turned in self._ways(equations, signs):
                tried = improve(gain, turned)
                cost_tried = self.cost(equations, weight, tried)
                if cost_tried < cost - _HARDLY * abs(cost):
                    signs, cost = tried, cost_tried
            if cost == before:
                break
        return signs

    def evaluate(self, equations: SegmentEquations, weight: Array, signs: Array) -> Turned:
        """Return the cost of flipping, and what decided if it is small."""
        cost = self.cost(equations, weight, signs)
        costs = np.array(
            [self.cost(equations, weight, way) - cost for way in self._ways(equations, signs)]
        )
        drives, whole = costs[:-1], float(costs[-1])
        open_ = (drives < _NOISE) | (whole < _NOISE)
        like_urdf = self._urdf_similarity(equations, signs)
        return Turned(drives, whole, open_ & (like_urdf != 0), open_ & (like_urdf == 0))

    def cost(self, equations: SegmentEquations, weight: Array, signs: Array) -> float:
        """Return the weighted squared error of the physically consistent parameters."""
        weighted = equations.weighted(weight)
        by_drive = self._by_drive(equations, signs)
        n = len(self._drives)
        k = len(self._base.independent)
        estimate = Estimate(
            base=weighted.solve(signs),
            covariance=np.zeros((k, k)),
            determined=np.ones(k, dtype=bool),
            joint_variance=_confident(by_drive, weight) / weight,
            correlation=np.ones(n),
            equations=by_drive,
            plain_equations=by_drive,
            condition_number=float("nan"),
        )
        solution = consistent_parameters(self._mechanism, self._base, estimate, self._physical)
        base = self._base.project(solution.parameters)
        return float(weight @ by_drive.squared_error(base))

    def _ways(self, equations: SegmentEquations, signs: Array) -> list[Array]:
        """Return the signs with one drive flipped, for each drive, then with all flipped."""
        one = [np.where(equations.drive == drive, -signs, signs) for drive in self._drives]
        return [*one, -signs]

    def _by_drive(self, equations: SegmentEquations, signs: Array) -> NormalEquations:
        n, k = len(self._drives), len(self._base.independent)
        gram, rows = np.zeros((1, n, k + 1, k + 1)), np.zeros((1, n))
        for drive in self._drives:
            of_drive = equations.drive == drive
            right = signs[of_drive] @ equations.right[of_drive]
            gram[0, drive, :-1, :-1] = equations.matrix[of_drive].sum(axis=0)
            gram[0, drive, :-1, -1] = gram[0, drive, -1, :-1] = right
            gram[0, drive, -1, -1] = equations.squared[of_drive].sum()
            rows[0, drive] = equations.rows[of_drive].sum()
        return NormalEquations(gram, rows)

    def as_in_urdf(self, equations: SegmentEquations, weight: Array, signs: Array) -> Array:
        """Flip drives, then all, as the URDF's bodies require if the cost is small."""
        cost = self.cost(equations, weight, signs)
        for turned in self._ways(equations, signs):
            change = np.flatnonzero(turned != signs)
            opposite = self._urdf_similarity(equations, signs)[equations.drive[change]].sum() < 0
            if opposite and self.cost(equations, weight, turned) - cost < _NOISE:
                signs = turned
        return signs

    def _urdf_similarity(self, equations: SegmentEquations, signs: Array) -> Array:
        """Return whether each drive's torque has the sign of the URDF's bodies (1) or not (-1)."""
        urdf = self._base.project(self._mechanism.urdf_parameters)
        product = signs * (equations.right @ urdf)
        sums = np.bincount(equations.drive, product, len(self._drives))
        return np.sign(np.where(np.abs(sums) > 1e-9 * np.abs(product).max(initial=0.0), sums, 0.0))


def _confident(equations: NormalEquations, weight: Array) -> float:
    """Return the factor of the error's variance with which data outweigh the URDF's bodies.

    Signs are decided by torque, not by the distance of bodies from the URDF's.
    """
    rows = np.maximum(equations.joint_rows, 1.0)
    return float(np.max(_TRUSTED**2 * weight * equations.squared_torque / rows))
