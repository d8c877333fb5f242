"""Friction that the model's terms do not describe: the missing term is named."""

from __future__ import annotations

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case, with_terms
from support.synthetic import arm_robot, recorded

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.friction import friction_terms

PLAIN = [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}]


def found_with(term: dict[str, object], **friction: float) -> list[Finding]:
    """Return the findings if only plain terms are fitted to an arm that has one more."""
    mechanism = arm_robot(terms=[*PLAIN, term]).mechanism()
    recording = recorded(mechanism, with_terms(mechanism, **friction), noise=0.05)
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


@pytest.mark.parametrize("noise", [0.0, 0.05, 5.0])
def test_described_friction_gives_no_finding(noise: float) -> None:
    robot, _, recording = arm(noise)
    case = fitted_case(robot, recording)
    assert noise < 1 or np.max(case.relative_errors) > 0.2
    assert list(friction_terms(case)) == []
