"""Variation of friction between recordings of one robot.

Friction in gears depends on temperature, lubrication and load history: a parameter differs between
two days by much more than its standard deviation within one recording. Its variance between
recordings is estimated where there are several (random effects; DerSimonian and Laird 1986), with
one relative variance for all friction parameters, as they are too many for the recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.block_jackknife import jackknife_variance
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import solve
from dynid.estimation.regression import BLOCKS, Problem

DEFAULT = 0.1
"""Relative standard deviation between two recordings, if there is only one. Friction of robot
joints falls by a third to a half while a cold robot warms up by 30 K (Bittencourt and Gunnarsson,
J. Dyn. Sys. Meas. Control 134, 2012); the temperatures of two days differ by 5 to 10 K, and
friction so by about 10 %."""

_EXPECTED = (BLOCKS - 1) / (BLOCKS - 3)  # mean of a squared deviation over a jackknife's variance
_LEAST_FREEDOM = 5  # of the estimate; below it the default is used


class Repeatability(NamedTuple):
    """Variation of friction parameters between recordings.

    Attributes:
        relative: standard deviation between the values of two recordings, over the value.
        recordings: number of recordings of the fit.
        origin: "recordings" if estimated, "default", or "setting".
    """

    relative: float
    recordings: int
    origin: str

    @property
    def note(self) -> str:
        """A sentence for the report."""
        share = f"{100 * self.relative:.2g} %"
        origins = {
            "recordings": f"as estimated from {self.recordings} recordings",
            "setting": "as friction_repeatability states",
            "default": "an assumption (friction_repeatability), since it cannot be estimated from "
            + ("one recording" if self.recordings == 1 else "these recordings"),
        }
        return (
            f"Uncertainties are for another recording of the same robot, whose friction differs by "
            f"{share} (standard deviation): {origins[self.origin]}."
        )

    def covariance(self, base: BaseParameterization, mechanism: Mechanism, values: Array) -> Array:
        """Return the share of it in the covariance (k, k) of base parameters ``values`` (k,).

        A recording differs from the robot's mean by 1/√2 of the difference between two. The fit
        is the mean of R recordings, and another recording differs from that mean by itself.
        """
        sizes = np.where(friction_parameters(base, mechanism), self.relative * values, 0.0)
        return np.diag(sizes**2) / 2 * (1 + 1 / self.recordings)


UNKNOWN_REPEATABILITY = Repeatability(0.0, 1, "setting")
"""Of a fit without friction of its own, such as a payload's."""


def find_repeatability(
    problem: Problem, estimate: Estimate, recordings: Sequence[Array], setting: float | None
) -> Repeatability:
    """Return how friction varies between recordings: as set, estimated, or the default.

    Args:
        problem: of all recordings.
        estimate: of all recordings; its covariance gives the size of errors within one.
        recordings: (G, k+1, k+1) normal equations of the blocks of each.
        setting: of the profile.
    """
    count = len(recordings)
    if setting is not None:
        return Repeatability(setting, count, "setting")
    friction = friction_parameters(problem.base, problem.mechanism)
    estimates = _estimates(estimate, recordings)
    excess, information, freedom = 0.0, 0.0, 0
    for number in np.flatnonzero(friction):
        pairs = [(b[number], v[number]) for b, v, known in estimates if known[number]]
        if len(pairs) < 2:
            continue
        values, variances = np.array(pairs).T
        weight = 1 / variances
        mean = weight @ values / weight.sum()
        excess += weight @ (values - mean) ** 2 - (len(pairs) - 1) * _EXPECTED
        information += mean**2 * (weight.sum() - weight @ weight / weight.sum())
        freedom += len(pairs) - 1
    # recordings in which even the default would be lost in noise do not show that it is smaller
    noticeable = 2 * _EXPECTED * np.sqrt(2 * freedom)  # two standard deviations of a χ²
    if freedom < _LEAST_FREEDOM or information * DEFAULT**2 / 2 < noticeable:
        return Repeatability(DEFAULT, count, "default")
    return Repeatability(float(np.sqrt(2 * max(excess / information, 0.0))), count, "recordings")


def friction_parameters(base: BaseParameterization, mechanism: Mechanism) -> Array:
    """Return which base parameters (k,) are led by friction."""
    terms = [term.traits.dissipative for term in mechanism.terms]
    friction = np.array([False] * mechanism.first_term + terms)
    return np.asarray(friction[base.independent])


def _estimates(
    estimate: Estimate, recordings: Sequence[Array]
) -> list[tuple[Array, Array, NDArray[np.bool_]]]:
    """Return estimate, variance, and whether identifiable (k,) of each recording alone.

    The variance is that of the jackknife: the residuals of the fit of all recordings, which the
    formula needs, contain the variation between them.
    """
    estimates = []
    for blocks in recordings if len(recordings) > 1 else ():
        total = blocks.sum(axis=0)
        if not total[:-1, :-1].any():
            continue
        alone = solve(total[:-1, :-1], total[:-1, :-1], total[:-1, -1], estimate.base)
        variance = jackknife_variance(blocks)
        estimates.append((alone.base, variance, alone.determined & (variance > 0)))
    return estimates
