"""An inertia below 0, as of a torque that lags, gets a term of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import limited_arm, swung

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.estimation.fitting import build_problem, fit
from dynid.identification.apparent_inertia import ApparentInertia, find_apparent_inertia
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

KINDS = ("viscous", "coulomb", "offset", "rotor_inertia")


def arm(terms: object = None) -> Robot:
    explicit = [TermSettings(kind=kind, smoothing=0.01 * (kind == "coulomb")) for kind in KINDS]
    robot = limited_arm(identification={"cutoff_hz": 20.0, "trim_rest": False})
    return (
        robot.with_terms(explicit) if terms is None else robot.model_copy(update={"terms": terms})
    )


def with_inertia(recording: Recording, inertia: list[float]) -> Recording:
    """Torque with a part proportional to each joint's acceleration [kg m^2]."""
    step = 1 / recording.sampling_rate
    acceleration = np.gradient(np.gradient(recording.position, step, axis=0), step, axis=0)
    return replace(recording, effort=recording.effort + acceleration * inertia)


def found(recording: Recording) -> ApparentInertia | None:
    robot = arm()
    settings = robot.settings(IdentificationSettings)
    mechanism, signals = robot.mechanism(), [preprocess(recording, robot)]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    return find_apparent_inertia(robot, fit(problem, settings), settings)


def apparent(result: ApparentInertia | None) -> dict[int, float]:
    """Joint → apparent inertia [kg m^2]."""
    if result is None:
        return {}
    mechanism = result.fitted.problem.mechanism
    values = result.fitted.standard[mechanism.first_term :]
    terms = zip(mechanism.terms, values.tolist(), strict=True)
    return {term.joint: value for term, value in terms if term.kind == "apparent_inertia"}


@pytest.mark.parametrize("inertia", [[0.0, 0.0, 0.0], [0.3, 0.1, 0.05]])
def test_rotors_explain_inertias_that_they_can_have(inertia: list[float]) -> None:
    assert found(with_inertia(swung(arm()), inertia)) is None


@pytest.mark.parametrize("size", [-0.01, -0.03])
@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_an_inertia_below_zero_is_found_at_its_joint(size: float, noise: float) -> None:
    result = found(with_inertia(swung(arm(), noise=noise), [0.0, size, 0.0]))
    assert apparent(result) == {1: pytest.approx(size, abs=0.1 * noise**2 + 5e-4)}
    assert result is not None
    assert result.fitted.consistent
    kinds = [(term.kind, term.joints) for term in result.robot.explicit_terms]
    assert kinds[3:] == [("rotor_inertia", ("shoulder", "wrist")), ("apparent_inertia", ("elbow",))]
    assert "apparent_inertia' has it in place of 'rotor_inertia'" in result.note()


def test_what_a_body_explains_needs_no_apparent_inertia() -> None:
    assert found(with_inertia(swung(arm()), [-0.15, 0.0, 0.0])) is None


def test_a_mass_matrix_stays_positive_definite() -> None:
    assert found(with_inertia(swung(arm()), [0.0, -0.2, 0.0])) is None


def test_it_belongs_to_the_terms_that_recordings_choose() -> None:
    recording = with_inertia(swung(arm()), [0.0, -0.02, 0.0])
    chosen = identify(arm("auto"), recording)
    assert chosen.model.provenance
    assert chosen.model.provenance.physically_consistent
    assert any(term.kind == "apparent_inertia" for term in chosen.model.mechanism.terms)
    assert any("apparent_inertia" in note for note in chosen.notes)
    given = identify(arm(), recording)
    assert not any(term.kind == "apparent_inertia" for term in given.model.mechanism.terms)
