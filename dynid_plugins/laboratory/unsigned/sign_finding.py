"""Recovery of the signs of torque recorded without sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.estimate import error_correlation
from dynid.identification.settings import IdentificationSettings
from dynid.identification.torque_signs import UNCERTAIN, DriveSigns, TorqueSigns, UncertainSegment
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.laboratory.unsigned.drive_rows import DriveRows, drive_rows
from dynid_plugins.laboratory.unsigned.model_signs import drive_torque, with_signs
from dynid_plugins.laboratory.unsigned.search import (
    Segment,
    SegmentEquations,
    beam_search,
    find_segments,
    first_weights,
    improve,
    largest_segments,
    segment_equations,
    turning_cost,
)
from dynid_plugins.laboratory.unsigned.turning import Turned, Turning

_ROUNDS = 100
_LARGEST_CHANGE = 1e-3  # change of the model's torque over the torque error at convergence, rms
_SMALLEST_RELATIVE_ERROR = 1e-4  # smallest torque error over torque, because of rounding

_CERTAIN = 0.98  # tanh of a sample whose sign is right with a probability of 99 %


def find_signs(
    robot: Robot, mechanism: Mechanism, base: BaseParameterization, recordings: Sequence[Recording]
) -> tuple[tuple[Recording, ...], TorqueSigns]:
    """Find the signs of the recordings' torque.

    1. Torque is cut into segments of one sign each (Pennese and Vulcano, section 2.4).
    2. A beam search over the segments of all drives, those with most torque first, finds the signs
       that a linear model explains best.
    3. Drives whose signs are not physically consistent are flipped.
    4. Parameters and the signs of single samples are refined together.

    Args:
        robot: positions are filtered by its settings, torque is not.
        mechanism: with the URDF's parameters.
        base: its base parameters.
        recordings: with effort without sign.

    Returns:
        The recordings with signs (where the sign is uncertain, torque is reduced, see
        :func:`expected_torque`), and the certainty of the signs.

    Raises:
        EstimationError: torque has a sign, is zero, or there is no motion.
        PreprocessingError: a filter does not fit a recording.
    """
    rows = drive_rows(robot, mechanism, base, recordings)
    settings = robot.settings(IdentificationSettings)
    segments = largest_segments(rows, find_segments(rows, settings.motion_cutoff_hz))
    equations, weight = segment_equations(rows, segments), first_weights(rows)
    weighted = equations.weighted(weight)
    signs = improve(weighted.gain(), beam_search(weighted))
    turning = Turning(mechanism, base, settings.physical)
    weight = _segment_weights(equations, weight, signs)
    signs = turning.settle(equations, weight, signs)
    refined = refine(rows, equations.weighted(weight).solve(signs))
    weight = _refined_weights(rows, refined)
    signs = _signs_of(equations, refined)
    as_in_urdf = turning.as_in_urdf(equations, weight, signs)
    if np.any(as_in_urdf != signs):
        refined = refine(rows, equations.weighted(weight).solve(as_in_urdf))
        weight, signs = _refined_weights(rows, refined), _signs_of(equations, refined)
    gain = equations.weighted(weight).gain()
    costs, turned = turning_cost(gain, signs), turning.evaluate(equations, weight, signs)
    expected = [_expected(mechanism, base, one, refined) for one in rows]
    signed = tuple(
        with_signs(robot, recording, share)
        for recording, share in zip(recordings, expected, strict=True)
    )
    return signed, _torque_signs(rows, segments, costs, turned, expected)


def _segment_weights(equations: SegmentEquations, weight: Array, signs: Array) -> Array:
    """Return inverse variances of torque errors (n,) of the segments' model, at least 1 %."""
    base = equations.weighted(weight).solve(signs)
    extended = np.einsum("skl,k,l->s", equations.matrix, base, base)
    error = np.maximum(extended - 2 * signs * (equations.right @ base) + equations.squared, 0.0)
    errors, squared, count = (
        np.bincount(equations.drive, values, len(weight))
        for values in (error, equations.squared, equations.rows)
    )
    there = squared > 0
    variance = np.maximum(errors, 1e-4 * squared) / np.where(there, count, 1.0)
    return np.where(there, 1 / np.where(there, variance, 1.0), weight)


def _refined_weights(rows: Sequence[DriveRows], refined: Refined) -> Array:
    """Return the weights of squared errors (n,): inverse variance over correlation time."""
    correlation = error_correlation(model_errors(rows, refined))
    return np.asarray(1 / (refined.standard_deviation**2 * correlation))


def _signs_of(equations: SegmentEquations, refined: Refined) -> Array:
    return np.where(equations.right @ refined.base < 0, -1.0, 1.0)


def _expected(
    mechanism: Mechanism, base: BaseParameterization, rows: DriveRows, refined: Refined
) -> Array:
    """Return the expected torque over the absolute torque (N, n), from -1 to 1."""
    standard = base.lift(refined.base, np.zeros(len(mechanism.parameter_names)))
    model = drive_torque(mechanism, rows.signals, standard, rows.to_drives)
    size = rows.size
    expected = expected_torque(size, model, refined.standard_deviation)
    return expected / np.where(size > 0, size, 1.0)


def _torque_signs(
    rows: Sequence[DriveRows],
    segments: Sequence[Segment],
    costs: Array,
    turned: Turned,
    expected: Sequence[Array],
) -> TorqueSigns:
    joints = rows[0].signals.joint_names
    drive_of = np.array([segment.drive for segment in segments])
    certain = np.mean(np.abs(np.concatenate(expected)) >= _CERTAIN, axis=0)
    drives = []
    for drive, joint in enumerate(joints):
        own = costs[drive_of == drive]
        physics = "nothing" if turned.unknown[drive] else "physical consistency"
        drives.append(
            DriveSigns(
                joint=joint,
                segments=len(own),
                uncertain=int((own < UNCERTAIN).sum()),
                least_cost=float(own.min(initial=np.inf)) if len(own) else 0.0,
                certain_share=float(certain[drive]),
                turning_cost=float(turned.drives[drive]),
                decided_by="URDF" if turned.by_urdf[drive] else physics,
            )
        )
    uncertain = [
        _uncertain(rows[segment.recording], segment, float(cost))
        for segment, cost in zip(segments, costs, strict=True)
        if cost < UNCERTAIN
    ]
    uncertain.sort(key=lambda segment: segment.cost)
    return TorqueSigns(tuple(drives), turned.all, tuple(uncertain))


def _uncertain(rows: DriveRows, segment: Segment, cost: float) -> UncertainSegment:
    step = rows.stride / rows.signals.sampling_rate
    return UncertainSegment(
        joint=rows.signals.joint_names[segment.drive],
        recording=segment.recording,
        start=segment.rows.start * step,
        stop=segment.rows.stop * step,
        cost=cost,
    )


@dataclass(frozen=True)
class Refined:
    """Base parameters (k,), and standard deviation of the drives' torque error (n,) [N m or N]."""

    base: Array
    standard_deviation: Array


def expected_torque(size: Array, model: Array, standard_deviation: Array) -> Array:
    """Return the expected torque (N, n), given its absolute value and the model's torque.

    With a normal error the odds of the model's sign are ``exp(2 |τ| |model| / σ²)``, so the
    expectation is ``|τ| tanh(|τ| model / σ²)``: with the model's sign if it is certain, close to
    zero otherwise. With the model's sign everywhere, torque near zero would be biased by its noise.

    Args:
        size: (N, n) absolute torque.
        model: (N, n) torque of the model.
        standard_deviation: (n,) σ of the torque error.
    """
    return np.asarray(size * np.tanh(size * model / standard_deviation**2))


def refine(rows: Sequence[DriveRows], base: Array) -> Refined:
    """Refine parameters by expectation maximisation.

    The expected torque and the fit of the model to it alternate. The fixed point is the most likely
    model of the absolute value of noisy torque (a folded normal distribution). Samples near zero
    are used too.

    Args:
        rows: of all recordings.
        base: (k,) start, whose signs must be right for large torque.
    """
    regressor = np.concatenate([one.regressor for one in rows])
    size = np.concatenate([one.searched for one in rows])
    grams = np.einsum("mnk,mnl->nkl", regressor, regressor, optimize=True)
    there = size.any(axis=0)  # drives with torque
    floor = np.where(there, _SMALLEST_RELATIVE_ERROR * np.sqrt(np.mean(size**2, axis=0)), 1.0)
    model = regressor @ base
    torque = np.where(model < 0, -size, size)
    sigma = np.maximum(np.sqrt(np.mean((torque - model) ** 2, axis=0)), floor)
    for _ in range(_ROUNDS):
        torque = expected_torque(size, model, sigma)
        base = _fitted(regressor, grams, torque, there / sigma**2)
        before, model = model, regressor @ base
        error = np.mean(size**2 - 2 * torque * model + model**2, axis=0)
        sigma = np.maximum(np.sqrt(np.maximum(error, 0.0)), floor)
        if np.all(np.mean((model - before) ** 2, axis=0) <= (_LARGEST_CHANGE * sigma) ** 2):
            break
    return Refined(base, sigma)


def model_errors(rows: Sequence[DriveRows], refined: Refined) -> Iterator[Array]:
    """Yield model minus torque with the model's sign (m, n), for each recording."""
    for one in rows:
        model = one.regressor @ refined.base
        yield model - np.where(model < 0, -1.0, 1.0) * one.searched


def _fitted(regressor: Array, grams: Array, torque: Array, weight: Array) -> Array:
    matrix = np.einsum("n,nkl->kl", weight, grams)
    right = np.einsum("mnk,mn->k", regressor, weight * torque, optimize=True)
    norms = np.sqrt(np.maximum(np.diag(matrix), 1e-24 * np.max(np.diag(matrix))))
    scaled = matrix / np.outer(norms, norms) + 1e-10 * np.eye(len(norms))
    return np.asarray(
        scipy.linalg.cho_solve(scipy.linalg.cho_factor(scaled), right / norms) / norms
    )
