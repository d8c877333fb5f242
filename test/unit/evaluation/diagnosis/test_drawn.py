"""Plots of findings: the right signals of the right joint on the right axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case
from support.swung_arm import limited_arm, swung

from dynid.evaluation.diagnosis.case import Case, own_terms
from dynid.evaluation.diagnosis.causes import CAUSES
from dynid.evaluation.diagnosis.finding import Finding, Trace
from dynid.evaluation.diagnosis.friction import friction_terms
from dynid.evaluation.diagnosis.projection import without
from dynid.evaluation.diagnosis.saturation import saturation
from dynid.evaluation.diagnosis.scale import torque_factor
from dynid.evaluation.diagnosis.too_slow import too_slow


def traces_of(found: Finding) -> tuple[Trace, ...]:
    assert found.plot is not None
    return found.plot.traces


def clipped_case(side: float) -> Case:
    """Return the swung arm whose elbow torque is clipped at one side."""
    robot = limited_arm()
    recording = swung(robot)
    level = 0.7 * np.abs(recording.effort[:, 1]).max()
    effort = recording.effort.copy()
    effort[:, 1] = side * np.minimum(side * effort[:, 1], level)
    return fitted_case(robot, replace(recording, effort=effort))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_saturated_torque_is_plotted_with_the_model_that_exceeds_it(side: float) -> None:
    case = clipped_case(side)
    (found,) = saturation(case)
    level = 0.7 * np.abs(swung(limited_arm()).effort[:, 1]).max()
    assert found.evidence["plateau [N m]"] == pytest.approx(side * level, rel=0.02)
    held = np.abs(case.signals[0].raw_torque[:, 1] - side * level) < 0.003 * 2 * level
    assert found.evidence["share of samples"] == pytest.approx(held.mean(), rel=0.1)
    assert found.plot is not None
    assert found.plot.y_label == "elbow [N m]"
    measured, model = found.plot.traces
    for trace in (measured, model):
        np.testing.assert_allclose(trace.x, case.signals[0].time)
    np.testing.assert_array_equal(measured.y, case.signals[0].raw_torque[:, 1])
    np.testing.assert_array_equal(model.y, case.comparisons[0].raw_model[:, 1])


def test_torque_at_the_limit_of_the_other_direction_is_found_too() -> None:
    robot = limited_arm()
    recording = swung(robot)
    lowest = -recording.effort[:, 1].min()
    highest = np.minimum(recording.effort[:, 1], 0.7 * lowest)
    effort = np.column_stack([recording.effort[:, 0], highest, recording.effort[:, 2]])
    allowed = tuple(2 * np.abs(effort).max(axis=0) * [1.0, 0.4, 1.0])  # elbow: 0.8 of its lowest
    limited = robot.model_copy(
        update={"limits": robot.limits.model_copy(update={"torque_max": allowed})}
    )
    (found,) = saturation(fitted_case(limited, replace(recording, effort=effort)))
    assert found.joint == "elbow"
    share = np.mean(effort[:, 1] < -0.98 * allowed[1])
    assert found.evidence["share of samples"] == pytest.approx(share, rel=1e-6)
    (measured,) = traces_of(found)
    np.testing.assert_array_equal(measured.y, effort[:, 1])


@pytest.mark.parametrize("worst", [0, 1, 2])
def test_the_joint_with_the_worst_torque_ratio_is_plotted(worst: int) -> None:
    robot, _, recording = arm()
    factors = np.where(np.arange(3) == worst, 3.0, 2.5)
    case = fitted_case(robot, replace(recording, effort=factors * recording.effort))
    (found,) = torque_factor(case)
    assert found.plot is not None
    assert found.plot.y_label.startswith(robot.joints[worst])
    measured, expected = found.plot.traces
    own = own_terms(case.decimated, worst)
    np.testing.assert_allclose(measured.y, without(case.decimated.torque[:, worst], own))
    np.testing.assert_allclose(expected.y, without(case.urdf_torque[:, worst], own))


def test_slow_motion_is_plotted_with_its_inertia_torque() -> None:
    robot = limited_arm()
    slow = swung(robot, frequencies=np.array([0.47, 0.61, 0.83]) / 10, duration=200.0)
    case = fitted_case(robot, slow)
    (found,) = too_slow(case)
    measured, inertia = traces_of(found)
    shares = {
        name: share for name, share in found.evidence.items() if name.startswith("inertia share")
    }
    worst = min(shares, key=lambda name: shares[name])
    assert found.plot is not None
    assert found.plot.y_label == f"{worst.removeprefix('inertia share of ')} [N m]"
    share = np.linalg.norm(inertia.y) / np.linalg.norm(measured.y)
    assert share == pytest.approx(shares[worst], rel=1e-6)


def test_errors_of_friction_are_plotted_over_velocity() -> None:
    robot, _, recording = arm()
    kept = tuple(term for term in robot.terms if term.kind != "viscous")
    case = fitted_case(robot.model_copy(update={"terms": kept}), recording)
    found = next(one for one in friction_terms(case) if one.joint == "elbow")
    (dots,) = traces_of(found)
    np.testing.assert_array_equal(dots.x, case.signals[0].velocity[:, 1])
    (compared,) = case.comparisons
    np.testing.assert_allclose(dots.y, (compared.measured - compared.model)[:, 1])
    # the part that Coulomb friction does not explain is linear in the velocity
    assert found.evidence["share explained by viscous"] > 0.5
    assert found.sentence.startswith("elbow: friction is not described")


def test_plots_of_all_findings_are_finite_and_of_equal_length() -> None:
    """On a recording with many faults."""
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.05, 0.05, 0.1), amplitudes=(1, 0.05, 1), noise=2.0)
    steps = np.round(recording.position / 2e-3) * 2e-3
    effort = np.clip(np.roll(2.5 * recording.effort, 6, axis=0), -30.0, 30.0)
    case = fitted_case(robot, replace(recording, position=steps, velocity=None, effort=effort))
    findings = [found for look in CAUSES.values() for found in look(case)]
    assert {"too_slow", "saturation", "noise", "quantised_feedback", "ill_conditioned"} <= {
        found.cause for found in findings
    }
    for found in findings:
        assert found.joint in (None, *robot.joints)
        assert found.sentence.endswith(".")
        assert found.remedy.endswith(".")
        assert np.isfinite(list(found.evidence.values())).all()
        for trace in found.plot.traces if found.plot else ():
            assert trace.x.shape == trace.y.shape
            assert len(trace.x) > 0
            assert np.isfinite(trace.x).all()
            assert np.isfinite(trace.y).all()
