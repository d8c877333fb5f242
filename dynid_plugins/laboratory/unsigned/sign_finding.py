"""Recovery of the signs of torque recorded without sign."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.estimate import error_correlation
from dynid.identification.settings import IdentificationSettings
from dynid.identification.torque_signs import (
    UNCERTAIN,
    DriveSigns,
    TorqueSigns,
    UncertainSegment,
)
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.laboratory.unsigned.drive_rows import DriveRows, drive_rows
from dynid_plugins.laboratory.unsigned.model_signs import drive_torque, with_signs
from dynid_plugins.laboratory.unsigned.refine import Refined, expected_torque, model_errors, refine
from dynid_plugins.laboratory.unsigned.search import (
    SegmentEquations,
    beam_search,
    first_weights,
    improve,
    largest_segments,
    segment_equations,
    turning_cost,
)
from dynid_plugins.laboratory.unsigned.segments import Segment, find_segments
from dynid_plugins.laboratory.unsigned.turning import Turned, Turning

_CERTAIN = 0.98  # tanh of a sample whose sign is right with a probability of 99 %


def find_signs(
    robot: Robot,
    mechanism: Mechanism,
    base: BaseParameterization,
    recordings: Sequence[Recording],
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
    drives = range(len(weight))
    totals = [
        [values[equations.drive == drive].sum() for drive in drives]
        for values in (error, equations.squared, equations.rows)
    ]
    errors, squared, count = map(np.asarray, totals)
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
