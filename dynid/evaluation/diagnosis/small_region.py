"""Joints that stay in a small part of their range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import joint_units, listed, these_joints

_SHARE = 0.3  # of the range: within less, a sine of gravity torque is almost a straight line
# a larger rotation of a revolute joint adds no information on weight and inertia
_ALL_SIDES = np.pi  # [rad]


def small_region(case: Case) -> Iterator[Finding]:
    """Compare the span of each joint's positions with its limits."""
    span = np.ptp(case.decimated.position, axis=0)
    possible = _possible(case)
    share = span / possible
    moves = case.decimated.moves  # joints at rest have another cause
    small = [j for j in range(len(case.joints)) if moves[j] and share[j] < _SHARE]
    if not small:
        return
    names = [case.joints[j] for j in small]
    spans = listed(f"{span[j]:.3g}" for j in small)
    ranges = listed(f"{possible[j]:.3g}" for j in small)
    yield Finding(
        cause="small_region",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: positions cover a small region, {spans} of {ranges} "
            f"{joint_units(case.mechanism.prismatic, small, 'rad', 'm')}."
        ),
        advice=(
            f"Increase the range of {these_joints(names)} in the excitation; the model may be "
            "wrong outside it."
        ),
        evidence={f"coverage of {case.joints[j]}": float(share[j]) for j in small},
        plot=_plot(case, small, possible),
    )


def _possible(case: Case) -> Array:
    """Return the possible range of each joint (n,) [rad or m]; NaN if unknown."""
    ranges = [case.robot.limits.range_of("position", j) for j in range(len(case.joints))]
    width = np.array([np.inf if r is None else r[1] - r[0] for r in ranges])
    turns = ~np.array(case.mechanism.prismatic)
    width[turns] = np.minimum(width[turns], _ALL_SIDES)
    width[~turns & np.isinf(width)] = np.nan
    return width


def _plot(case: Case, joints: list[int], possible: Array) -> Plot:
    middle = case.decimated.position.mean(axis=0)
    return Plot(
        x_label="time [s]",
        y_label="position about its mean over the range",
        traces=tuple(
            Trace(
                case.time,
                (case.decimated.position[:, j] - middle[j]) / possible[j],
                case.joints[j],
            )
            for j in joints
        ),
    )
