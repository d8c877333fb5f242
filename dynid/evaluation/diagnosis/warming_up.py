"""Friction that falls during a recording, as in gears that warm up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.regression import BLOCKS
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import products_beyond
from dynid.evaluation.diagnosis.residual import TorqueResidual
from dynid.evaluation.diagnosis.too_short import FEWEST_CYCLES, strokes

_FALSE_FINDING_PROBABILITY = 1e-3  # of a false finding in a recording, all joints together
# of friction: half of what it differs between two days, which uncertainties include
_SMALL_CHANGE = 0.05
_LARGE_CHANGE = 0.1  # of friction: its difference between two days
_CONSTANTS = np.geomspace(0.1, 4.0, 25)  # time constants tried, over the recording's duration
# observable time constant over the duration; beyond it the fall is nearly straight
_LONGEST_TIME_CONSTANT = 1.0
_SPREAD = 0.5  # of the logarithm of the time constant, if one of the blocks is left out
_LARGEST_FALL = 2.0  # of the mean friction: after it friction would drive the joint
_ROUNDING = 1e-10  # of a squared norm: what is left of a column that depends on others
_TIME_CONSTANTS_TO_SETTLE = 3.0  # time constants after which 5 % of a fall are left


class Fall(NamedTuple):
    """A fall of a joint's friction.

    Attributes:
        change: over the recording, over the mean friction; negative for a fall.
        deviation: standard deviation of ``change``.
        constant: time constant [s]; None where the recording does not show it.
        excess: friction above its final value at the start, over the mean; 0 without a constant.
    """

    change: float
    deviation: float
    constant: float | None
    excess: float


def warming_up(case: Case) -> Iterator[Finding]:
    """Look for joints whose friction falls along the longest recording.

    The torque error is explained by e = f·(a + b t) + c·own(t): f is the model's friction, b its
    relative change per second; the joint's own columns (offset and its drift, velocity, its sign
    and square, acceleration) take what a wrong shape of friction explains. The standard deviation
    of b is that of a jackknife over blocks of time, whatever the errors' correlation within them.
    """
    if case.model is None or not case.comparisons:
        return
    residual = TorqueResidual.of(case)
    # offsets are no friction
    kinds = {term.kind for term in case.model.terms if term.traits.dissipative}
    friction = residual.torque_of_kinds(kinds)
    duration = float(residual.time[-1] - residual.time[0])
    # in a few strokes, what changes with time cannot be separated from what changes with position
    cycles = strokes(residual.whole.velocity) / 2
    enough = case.decimated.moves & (cycles >= FEWEST_CYCLES)
    joints = [j for j in np.flatnonzero(enough).tolist() if np.any(friction[:, j])]
    if not joints or len(residual.time) < _least_samples():
        return
    bound = float(scipy.special.stdtrit(BLOCKS - 1, 1 - _FALSE_FINDING_PROBABILITY / len(joints)))
    for j in joints:
        fall = friction_fall(
            residual.time, residual.error[:, j], friction[:, j], own_columns(residual, j)
        )
        if max(bound * fall.deviation, _SMALL_CHANGE) < -fall.change < _LARGEST_FALL:
            yield _finding(case, residual, j, fall, duration)


def friction_fall(time: Array, error: Array, friction: Array, joint_columns: Array) -> Fall:
    """Estimate how friction changes along a recording.

    Args:
        time: (m,) [s].
        error: (m,) torque, measured minus model [N m or N].
        friction: (m,) of the model, filtered as the error.
        joint_columns: (m, k) signals that take precedence.
    """
    duration = float(time[-1] - time[0])
    share = (time - time[0]) / duration
    block = np.minimum((share * BLOCKS).astype(int), BLOCKS - 1)
    joint_columns = np.column_stack([joint_columns, friction])
    line = _Fits(joint_columns, (friction * (share - 0.5))[:, None], error, block).coefficients[
        :, 0
    ]
    change, deviation = float(line[0]), _jackknifed(line[1:])
    if -change <= _SMALL_CHANGE:
        return Fall(change, deviation, None, 0.0)
    shapes = friction[:, None] * np.exp(-share[:, None] / _CONSTANTS)
    decays = _Fits(joint_columns, shapes, error, block)
    best = np.argmin(decays.squared_errors, axis=1)
    chosen, excess = int(best[0]), float(decays.coefficients[0, best[0]])
    spread = _jackknifed(np.log(_CONSTANTS[best[1:]]))
    seen = (
        chosen > 0
        and _CONSTANTS[chosen] <= _LONGEST_TIME_CONSTANT
        and spread < _SPREAD
        and excess > 0
    )
    if not seen:
        return Fall(change, deviation, None, 0.0)
    return Fall(change, deviation, float(_CONSTANTS[chosen]) * duration, excess)


def _jackknifed(without_one: Array) -> float:
    """Return the standard deviation of a result from those without one block each, (BLOCKS,)."""
    return float(np.sqrt((BLOCKS - 1) * np.var(without_one)))


class _Fits:
    """Fits of a joint's error by its own columns and one more, also with each block left out.

    Attributes:
        coefficients: (1 + BLOCKS, c) of each candidate, from all blocks and without each.
        squared_errors: (1 + BLOCKS, c) that are left.
    """

    def __init__(
        self, joint_columns: Array, candidates: Array, error: Array, block: NDArray[np.intp]
    ) -> None:
        """Take ``joint_columns`` (m, k), ``candidates`` (m, c), ``error`` (m,) and blocks (m,)."""
        rows, count = np.column_stack([joint_columns, candidates, error]), joint_columns.shape[1]
        sizes = np.sqrt(np.sum(rows**2, axis=0))
        rows /= np.where(sizes > 0, sizes, 1.0)
        products = np.stack([part.T @ part for part in (rows[block == b] for b in range(BLOCKS))])
        whole = products.sum(axis=0)
        beyond = products_beyond(np.concatenate([whole[None], whole - products]), count)
        squares = np.diagonal(beyond, axis1=1, axis2=2)
        shared, left = beyond[:, :-1, -1], squares[:, :-1]
        factors = np.divide(shared, left, out=np.zeros_like(shared), where=left > _ROUNDING)
        self.coefficients = factors * sizes[-1] / np.where(sizes > 0, sizes, 1.0)[count:-1]
        self.squared_errors = (squares[:, -1:] - factors * shared) * sizes[-1] ** 2


def own_columns(residual: TorqueResidual, joint: int) -> Array:
    """Return filtered signals of a joint that a wrong shape of its friction explains, (m, 6)."""
    signals = residual.signals
    velocity, time = signals.velocity[:, joint], signals.time - signals.time[0]
    return residual.filtered(
        [
            np.ones_like(time),
            time,
            velocity,
            np.sign(velocity),
            velocity * np.abs(velocity),
            signals.acceleration[:, joint],
        ]
    )


def warm_up_time(fall: Fall, duration: float) -> float:
    """Return for how long to warm up from where the recording started [s].

    With a time constant: until a recording of this duration has a fall of ``_SMALL_CHANGE``.
    Without one it is at least the longest observable one, so three of these.
    """
    if fall.constant is None:
        return _TIME_CONSTANTS_TO_SETTLE * _LONGEST_TIME_CONSTANT * duration
    within = fall.excess * -np.expm1(-duration / fall.constant)
    return float(fall.constant * max(np.log(within / _SMALL_CHANGE), 0.0))


def _lasting(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.3g} min"


def _least_samples() -> int:
    return 20 * BLOCKS  # more than twice the columns in each block


def _finding(
    case: Case, residual: TorqueResidual, joint: int, fall: Fall, duration: float
) -> Finding:
    name, minutes = case.joints[joint], duration / 60
    per_minute = -fall.change / minutes
    needed = _lasting(warm_up_time(fall, duration))
    if fall.constant is None:
        course = "at a rate that the recording does not show to slow down"
        advice = (
            f"Play the motion for at least {needed} before you record, and diagnose again: the "
            "recording is too short to show for how long friction falls."
        )
    else:
        course = f"with a time constant of {_lasting(fall.constant)}"
        advice = (
            f"Play the motion for {needed} before you record; then friction falls by less than "
            f"{100 * _SMALL_CHANGE:.0f} % in a recording of this duration."
        )
    return Finding(
        cause="warming_up",
        joints=(name,),
        severity="warning" if -fall.change > _LARGE_CHANGE else "note",
        sentence=(
            f"{name}: friction falls by {-100 * fall.change:.0f} ± {100 * fall.deviation:.0f} % "
            f"during the recording, {per_minute:.2g} times its mean per minute, {course}, as in a "
            "robot that warms up."
        ),
        advice=advice,
        evidence={
            "fall per minute": per_minute,
            "standard deviation per minute": fall.deviation / minutes,
            "time constant [s]": np.nan if fall.constant is None else fall.constant,
            "warm-up [s]": warm_up_time(fall, duration),
        },
        statement="steady fall" if fall.constant is None else "fall with a time constant",
        plot=Plot(
            x_label="time [s]",
            y_label=f"torque error of {name}",
            traces=(Trace(residual.time, residual.error[:, joint], "error", "dots"),),
        ),
    )
