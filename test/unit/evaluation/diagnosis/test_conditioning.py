"""Parameters that a motion does not determine, and motion that would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case
from support.swung_arm import limited_arm, swung
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.conditioning import ill_conditioned
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.over_fit import over_fit
from dynid.text import percent


def still_wrist(terms: list[dict[str, object]]) -> Case:
    """Return the arm with its wrist at rest."""
    robot = arm_robot(terms=terms)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    position = recording.position * [1.0, 1.0, 0.0]
    return fitted_case(robot, replace(recording, position=position, velocity=None))


def undetermined_finding(case: Case) -> Finding:
    (found,) = [one for one in ill_conditioned(case) if "cannot be identified" in one.sentence]
    return found


@pytest.mark.parametrize(
    ("kind", "symbol", "remedy"),
    [
        ("viscous", "Fv3", "Move wrist at more different speeds, in both directions"),
        ("coulomb", "Fc3", "Move wrist at more different speeds, in both directions"),
        (
            "rotor_inertia",
            "Ia3",
            "Accelerate wrist faster while the following joints take more poses",
        ),
        ("spring_stiffness", "K3", "Move wrist in both directions over more of its range"),
    ],
)
def test_remedy_for_each_kind_of_term_at_rest_is_the_motion_that_excites_it(
    kind: str, symbol: str, remedy: str
) -> None:
    found = undetermined_finding(still_wrist([{"kind": kind}]))
    assert symbol in found.sentence
    assert remedy in found.remedy or remedy.lower() in found.remedy.lower()


def test_remedy_for_bodies_without_excitation_is_poses_or_acceleration() -> None:
    found = undetermined_finding(still_wrist([]))
    assert found.severity == "warning"
    remedy = found.remedy
    assert "wrist" in remedy or "hand" in remedy
    assert remedy[0].isupper()
    assert remedy.endswith(".")


def test_the_first_parameters_are_named_and_the_others_counted() -> None:
    case = still_wrist([{"kind": kind} for kind in ("viscous", "coulomb", "offset")])
    assert case.fit is not None
    estimate = case.fit.estimate
    for unknown in (12, 15):
        determined = np.arange(len(estimate.base)) >= unknown
        fit = replace(case.fit, estimate=replace(estimate, determined=determined))
        found = undetermined_finding(replace(case, fit=fit))
        assert found.evidence == {"undetermined parameters": float(unknown)}
        named = [name for name in case.base.names[:unknown] if name in found.sentence]
        assert len(named) == 12
        assert ("and 3 others" in found.sentence) is (unknown == 15)
        assert ("others" in found.sentence) is (unknown == 15)


def test_a_given_model_has_no_undetermined_parameters() -> None:
    case = still_wrist([{"kind": "viscous"}])
    assert list(ill_conditioned(replace(case, fit=None))) == []


def test_condition_number_is_that_of_the_weighted_scaled_regressor() -> None:
    terms = [{"kind": kind} for kind in ("viscous", "coulomb", "offset")]
    alike = {"kind": "stribeck", "scale": 100.0, "joints": ["elbow"]}
    robot = limited_arm(terms=[*terms, alike], limits={})
    case = fitted_case(robot, swung(robot))
    (found,) = ill_conditioned(case)
    assert case.fit is not None
    (rows,) = case.fit.problem.rows
    motion = rows.signals.position, rows.signals.velocity, rows.signals.acceleration
    regressor = case.mechanism.regressor(*motion)[:, :, case.base.independent]
    # joints are weighted by errors of 2 % of their torque
    fitted = rows.fitted[:, :, None] > 0
    size = np.sqrt((rows.torque**2 * rows.fitted).sum(axis=0) / rows.fitted.sum(axis=0))
    stacked = (regressor * fitted / size[:, None]).reshape(-1, regressor.shape[2])
    values = np.linalg.svd(stacked / np.linalg.norm(stacked, axis=0), compute_uv=False)
    condition = values[0] / values[-1]
    assert found.evidence["condition number"] == pytest.approx(condition, rel=0.01)
    assert found.severity == "warning"
    assert found.plot is not None
    (drawn,) = found.plot.traces
    np.testing.assert_array_equal(drawn.x, np.arange(len(values)))
    shown = 10 ** (drawn.y - drawn.y[0])
    np.testing.assert_allclose(shown[:-1], (values / values[0])[:-1], rtol=1e-3)
    assert np.all(np.diff(drawn.y) <= 0)
    assert 1 / shown[-1] == pytest.approx(condition, rel=0.01)


def test_over_fit_requires_a_larger_ratio_and_difference_of_errors() -> None:
    robot, _, recording = arm(noise=0.5)
    case = fitted_case(robot, recording)
    fitted = case.relative_errors

    def named(*held_out: float) -> list[str | None]:
        errors = HeldOut(5, (0.0,) * 3, tuple(held_out))
        return [one.joint for one in over_fit(replace(case, held_out=errors))]

    assert named(*(1.2 * fitted)) == []
    assert named(*(fitted + 0.015)) == []  # ignored for any ratio
    assert named(fitted[0], 1.5 * fitted[1] + 0.03, fitted[2]) == ["elbow"]
    assert named(*(1.5 * fitted + 0.03)) == list(robot.joints)
    assert list(over_fit(case)) == []


def test_over_fit_reports_both_errors_and_the_number_of_essential_parameters() -> None:
    robot, _, recording = arm(noise=0.5)
    case = fitted_case(robot, recording)
    held_out = tuple((3 * case.relative_errors + 0.1).tolist())
    first, *_ = over_fit(replace(case, held_out=HeldOut(5, (0.0,) * 3, held_out)))
    assert case.fit is not None
    assert first.evidence["relative error"] == pytest.approx(case.relative_errors[0])
    assert first.evidence["relative error held out"] == pytest.approx(held_out[0])
    assert first.evidence["parameters"] == case.fit.estimate.determined.sum()
    assert first.evidence["essential parameters"] == case.fit.essential.sum()
    errors = f"{percent(held_out[0])} against {percent(case.relative_errors[0])}"
    assert errors in first.sentence
    # parameters and a change during the recording are alternatives
    assert "Either it has too many parameters" in first.sentence
    assert "or something that it does not describe" in first.sentence
    assert "overfitted" not in first.sentence
    assert first.plot is not None
    fitted, other = first.plot.traces
    for trace, values in ((fitted, case.relative_errors), (other, held_out)):
        np.testing.assert_array_equal(trace.x, [1.0, 2.0, 3.0])
        np.testing.assert_allclose(trace.y, values)
