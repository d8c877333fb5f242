"""Torque that is recorded later or earlier than its motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import basis_of, beyond
from dynid.evaluation.diagnosis.sampled_fit import FitSamples, error_weights, per_joint, sampled
from dynid.robot.torque_settings import FeedforwardSettings

_LONGEST_DELAY_TRIED = 0.25  # [s]
_ROUNDS = 4  # of linearisation at the last delay
_BLOCKS = 12  # of the recording; their scatter gives the standard deviation of the delay
_SIGNIFICANCE = 5.0  # standard deviations
_SHORTEST_DELAY = 1.5  # samples
_AGREE = 0.5  # of the delay: largest difference between joints
# samples: a longer delay comes from different clocks, not from a drive
_LONGEST_DELAY_OF_A_DRIVE = 10
_LEAST_SHARE = 0.02  # of the squared error that a delay explains
_MATTERS = 0.1  # of the same: below, the finding is a note
_FEWEST_ROWS = 4  # times the number of parameters


@dataclass(frozen=True)
class Delay:
    """Delay of torque.

    Attributes:
        seconds: the delay [s].
        standard_deviation: of the delay [s].
        explained: share of the squared error that the delay explains.
        joints: (n,) delay of each joint alone [s].
        information: (n,) weight of each joint.
    """

    seconds: float
    standard_deviation: float
    explained: float
    joints: Array
    information: Array


def time_shift(case: Case) -> Iterator[Finding]:
    """Estimate the delay of torque from samples without reversals, where friction is smooth."""
    rate = case.longest.sampling_rate
    reach = min(round(_LONGEST_DELAY_TRIED * rate), len(case.longest.time) // 5)
    if reach < 3:
        return
    samples = sampled(case, reach=reach)
    if len(samples.joint) < _FEWEST_ROWS * samples.regressor.shape[2]:
        return
    delay = find_delay(case, samples, reach)
    cycles = delay.seconds * rate
    unsure = abs(delay.seconds) < _SIGNIFICANCE * delay.standard_deviation
    if (
        abs(cycles) < _SHORTEST_DELAY
        or unsure
        or delay.explained < _LEAST_SHARE
        or not _agree(delay)
    ):
        return
    yield _finding(case, delay, rate)


def find_delay(case: Case, samples: FitSamples, reach: int) -> Delay:
    """Fit base parameters and delay together by the Gauss–Newton method.

    A torque with delay d is τ(t - d) = W π - d dτ/dt, so the derivative of the torque is one more
    column of the least squares.

    Args:
        case: the case, of which the longest recording is used.
        samples: of that recording, without ``reach`` samples at each end.
        reach: longest delay [samples].
    """
    rate, joint = case.longest.sampling_rate, samples.joint
    slope = np.gradient(samples.torque, 1 / rate, axis=0)
    weight = error_weights(samples)
    columns = np.column_stack([samples.columns(weight), _friction(case, samples)])
    basis, scale = basis_of(columns), weight[joint]
    total = 0

    def linearised() -> tuple[Array, Array, float]:
        moved = replace(samples, at=samples.at + total)
        error = beyond(basis, moved.rows(samples.torque) * scale)
        column = beyond(basis, -moved.rows(slope) * scale)
        return error, column, float(column @ error) / max(float(column @ column), 1e-300)

    error, column, rest = linearised()
    for _ in range(_ROUNDS):
        step = int(np.clip(total + round(rest * rate), -reach, reach)) - total
        if step == 0:
            break
        total += step
        error, column, rest = linearised()
    residual = beyond(basis, samples.rows(samples.torque) * scale)
    left = error - rest * column
    return Delay(
        seconds=total / rate + rest,
        standard_deviation=_standard_deviation(samples, column, error, rest),
        explained=1 - float(left @ left) / max(float(residual @ residual), 1e-300),
        joints=_of_each(joint, column, error, samples.kept.shape[1]) + total / rate,
        information=per_joint(joint, column**2, samples.kept.shape[1]),
    )


def _friction(case: Case, samples: FitSamples) -> Array:
    """Columns (r, 3 n) of friction that the model may lack and that resembles a delay."""
    velocity, joint = samples.rows(case.longest.velocity), samples.joint
    peak = np.abs(case.longest.velocity).max(axis=0)[joint]
    speed = velocity / np.where(peak > 0, peak, 1.0)
    columns = [np.where(joint == j, 1.0, 0.0) for j in range(samples.kept.shape[1])]
    shapes = (speed, np.sign(speed), np.sign(speed) * np.sqrt(np.abs(speed)))
    return np.column_stack([column * shape for column in columns for shape in shapes])


def _standard_deviation(samples: FitSamples, column: Array, error: Array, delay: float) -> float:
    """Estimate the standard deviation of the delay from the scatter of blocks."""
    instant = np.concatenate([np.flatnonzero(kept) for kept in samples.kept.T])
    block = instant * _BLOCKS // len(samples.kept)
    score = per_joint(block, column * (error - delay * column), _BLOCKS)
    return float(np.sqrt(np.sum(score**2))) / max(float(column @ column), 1e-300)


def _of_each(joint: NDArray[np.intp], column: Array, error: Array, joints: int) -> Array:
    products = per_joint(joint, column * error, joints)
    return np.asarray(products / np.maximum(per_joint(joint, column**2, joints), 1e-300))


def _agree(delay: Delay) -> bool:
    """Whether joints with most of the information have about the same delay."""
    near = np.abs(delay.joints - delay.seconds) <= _AGREE * abs(delay.seconds)
    return bool(delay.information[near].sum() >= 0.6 * delay.information.sum())


def _finding(case: Case, delay: Delay, rate: float) -> Finding:
    cycles = round(abs(delay.seconds) * rate)
    later = "later" if delay.seconds > 0 else "earlier"
    present = case.robot.settings(FeedforwardSettings).additive_torque_delay
    remedy = "Align effort and position in the recording."
    if 0 < cycles <= _LONGEST_DELAY_OF_A_DRIVE and delay.seconds > 0:
        remedy = (
            "Align effort and position in the recording; if it contains every control cycle and "
            "commands have the same delay, set feedforward.additive_torque_delay: "
            f"{present + cycles / rate:.4g}."
        )
    return Finding(
        cause="time_shift",
        joint=None,
        severity="warning" if delay.explained > _MATTERS else "note",
        sentence=(
            f"torque is recorded {cycles} samples ({abs(delay.seconds) * 1e3:.3g} ms, standard "
            f"deviation {delay.standard_deviation * 1e3:.2g} ms) {later} than its motion, which "
            f"explains {100 * delay.explained:.0f} % of the squared torque error."
        ),
        remedy=remedy,
        evidence={
            "delay [s]": delay.seconds,
            "standard deviation [s]": delay.standard_deviation,
            "delay [control cycles]": float(round(delay.seconds * rate)),
            "share of squared error": delay.explained,
        }
        | {
            f"delay at {name} [s]": float(d)
            for name, d in zip(case.joints, delay.joints, strict=True)
        },
        plot=Plot(
            x_label="joint",
            y_label="delay of torque [ms]",
            traces=(
                Trace(
                    np.arange(1.0, len(case.joints) + 1), delay.joints * 1e3, "each joint", "dots"
                ),
                Trace(
                    np.array([1.0, len(case.joints)]), np.full(2, delay.seconds * 1e3), "together"
                ),
            ),
        ),
    )
