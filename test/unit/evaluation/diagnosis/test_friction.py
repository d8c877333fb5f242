"""Friction that the model's terms do not describe: the missing term is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import RATE, arm, fitted_case, with_terms
from support.synthetic import arm_robot, recorded

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.friction import friction_terms
from dynid.evaluation.errors import compare
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess

PLAIN = [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}]


def found_with(term: dict[str, object], other: float = 0.0, **friction: float) -> list[Finding]:
    """Return the findings if only plain terms are fitted to an arm that has one more.

    Its elbow has a torque of size ``other`` that is no friction besides.
    """
    mechanism = arm_robot(terms=[*PLAIN, term]).mechanism()
    recording = recorded(mechanism, with_terms(mechanism, **friction), noise=0.05)
    torque = other * np.sin(5 * recording.position[:, 1])
    recording = replace(recording, effort=recording.effort + np.outer(torque, [0, 1, 0]))
    return list(friction_terms(fitted_case(arm_robot(), recording)))


@pytest.mark.parametrize(
    ("term", "friction", "remedy"),
    [
        ({"kind": "stribeck", "scale": 0.3}, {"Fs2": 6.0}, "Add stribeck (or presliding) of elbow"),
        ({"kind": "viscous_positive"}, {"Fvp2": 3.0}, "Add viscous_positive and viscous_negative"),
        ({"kind": "coulomb_load"}, {"Fl2": 0.8}, "Add coulomb_load of elbow"),
        ({"kind": "viscous_cubic"}, {"Fcub2": 1.0}, "Add viscous_cubic of elbow"),
    ],
)
def test_missing_term_is_named(
    term: dict[str, object], friction: dict[str, float], remedy: str
) -> None:
    (found,) = found_with(term, **friction)
    assert found.joint == "elbow"
    assert found.remedy.startswith(remedy)
    assert found.evidence["effect over torque"] > 0.03


@pytest.mark.parametrize("missing", ["coulomb", "viscous"])
def test_missing_plain_friction_is_named(missing: str) -> None:
    robot, _, recording = arm()
    kept = [term for term in robot.terms if term.kind != missing]
    case = fitted_case(robot.model_copy(update={"terms": tuple(kept)}), recording)
    found = {one.joint: one for one in friction_terms(case)}
    assert {"elbow", "wrist"} <= set(found)
    assert all(f"Add {missing} of" in one.remedy for one in found.values())


def test_friction_that_explains_less_than_most_of_the_error_is_no_cause() -> None:
    (found,) = found_with({"kind": "stribeck", "scale": 0.3}, other=3.0, Fs2=6.0)
    assert 0.25 < found.evidence["share explained by stribeck"] < 0.5
    assert found.sentence.startswith("elbow: Stribeck friction")
    assert found.remedy.startswith("Look for other causes first")


def found_later(*identified_errors: float, factor: float = 1.0) -> list[Finding]:
    """Return what an identified arm shows whose elbow has more friction, and a torque factor."""
    robot, parameters, recording = arm()
    case = fitted_case(robot, recording)
    assert case.model is not None
    known = dict(zip(case.mechanism.parameter_names, parameters.tolist(), strict=True))
    more = with_terms(case.mechanism, Fv2=2 * known["Fv2"], Fc2=2 * known["Fc2"])
    later = recorded(case.mechanism, more, noise=0.05, rate=RATE, seed=1)
    later = replace(later, effort=later.effort * [1.0, factor, 1.0])
    signals = (preprocess(later, robot),)
    compared = compare(case.model, signals, robot.settings(IdentificationSettings))
    given = replace(
        case,
        recordings=(later,),
        signals=signals,
        comparisons=compared,
        fit=None,
        identified_errors=identified_errors,
    )
    return [one for one in friction_terms(given) if one.joint == "elbow"]


def test_friction_of_a_good_model_has_changed() -> None:
    (found,) = found_later(0.01, 0.01, 0.01)
    assert found.sentence.startswith("elbow: friction differs from that of the model")
    assert "has changed" in found.remedy


@pytest.mark.parametrize("errors", [(), (0.01, np.inf, 0.01), (0.01, 0.3, 0.01)])
def test_friction_that_was_not_identified_has_not_changed(errors: tuple[float, ...]) -> None:
    (found,) = found_later(*errors)
    assert "would explain" in found.sentence
    assert "not identified reliably" in found.remedy


def test_friction_of_a_model_whose_torque_is_wrong_otherwise_has_not_changed() -> None:
    (found,) = found_later(0.01, 0.01, 0.01, factor=3.0)
    assert "would explain" in found.sentence
    assert found.remedy.startswith("Look for other causes first")


@pytest.mark.parametrize("noise", [0.0, 0.05, 5.0])
def test_described_friction_gives_no_finding(noise: float) -> None:
    robot, _, recording = arm(noise)
    case = fitted_case(robot, recording)
    assert noise < 1 or np.max(case.relative_errors) > 0.2
    assert list(friction_terms(case)) == []
