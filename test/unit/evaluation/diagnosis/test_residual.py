"""The residual of a model, and the share of it that a signal explains beyond chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case
from support.synthetic import arm_robot, recorded, true_parameters

from dynid import _core
from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.residual import TorqueResidual
from dynid.identification.settings import IdentificationSettings
from dynid.signals.filters import ParallelFilter

SAMPLES = 4000


def named(kinds: set[_core.TermKind]) -> set[str]:
    return {kind.name for kind in kinds}


def left_by(case: Case, error: np.ndarray) -> TorqueResidual:
    """Return the residual of a model with the error ``error`` (N,) at the elbow only."""
    (compared,) = case.comparisons
    model = compared.measured - np.outer(error, [0.0, 1.0, 0.0])
    return TorqueResidual(replace(case, comparisons=(replace(compared, model=model),)))


@pytest.fixture(scope="module")
def case() -> Case:
    """The arm whose model has one more term of friction at the shoulder."""
    plain = [{"kind": kind} for kind in ("viscous", "coulomb", "offset")]
    robot = arm_robot(terms=[*plain, {"kind": "viscous_cubic", "joints": ["shoulder"]}])
    _, _, recording = arm()
    return fitted_case(robot, recording)


def test_error_is_measured_minus_model(case: Case) -> None:
    left = left_by(case, np.linspace(0.0, 1.0, SAMPLES))
    np.testing.assert_allclose(left.error[:, 1], np.linspace(0.0, 1.0, SAMPLES), atol=1e-12)
    np.testing.assert_array_equal(left.torque, case.comparisons[0].measured)
    np.testing.assert_array_equal(left.velocity, case.signals[0].velocity)


def test_long_recordings_are_decimated_with_the_same_filter() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    long = recorded(mechanism, true_parameters(mechanism), samples=10_400, noise=0.1)
    left = TorqueResidual(fitted_case(robot, long))
    assert len(left.error) == len(left.torque) == len(left.velocity) == 5200
    velocity = left.signals.velocity[:, 1]
    np.testing.assert_allclose(left.filtered([velocity])[:, 0], left.velocity[:, 1])


def test_signals_are_computed_at_the_samples_that_are_kept() -> None:
    """Every second sample; of friction with memory, and before a filter, all of them."""
    contact = {"kind": "presliding", "scale": 0.05}
    terms = [{"kind": "viscous"}, contact]
    mechanism = arm_robot(terms=terms).mechanism()
    long = recorded(mechanism, true_parameters(mechanism), samples=10_400, noise=0.1)
    for low_pass in (None, {"cutoff_hz": 5.0}):
        robot = arm_robot(terms=terms, identification={"parallel_filter": low_pass})
        case = fitted_case(robot, long)
        left, whole = TorqueResidual(case), case.signals[0]
        step = 2 if low_pass is None else 1
        np.testing.assert_array_equal(left.signals.time, whole.time[::step])
        settings = robot.settings(IdentificationSettings).parallel_filter
        smooth = ParallelFilter.from_settings(settings, whole.sampling_rate).smooth
        assert case.model is not None
        motion = whole.position, whole.velocity, whole.acceleration
        for kinds in ({"viscous"}, {"viscous", "presliding"}):
            expected = smooth(torque_of_kinds(case.model, *motion, kinds))[::2]
            np.testing.assert_allclose(left.torque_of_kinds(kinds), expected, atol=1e-12)
        for kind, columns in left.friction(1, np.arange(len(whole.time))).items():
            expected = smooth(np.column_stack(columns))[::2]
            np.testing.assert_allclose(left.filtered_friction(1)[kind], expected, atol=1e-12)


@pytest.mark.parametrize(("share", "shows"), [(0.02, False), (0.04, True)])
def test_error_exceeds_the_effect(case: Case, share: float, shows: bool) -> None:
    torque = case.comparisons[0].measured[:, 1]
    left = left_by(case, share * torque)
    assert left.exceeds(1, 0.03) is shows
    assert not left.exceeds(0, 0.03)


def test_share_and_size_of_the_explained_error(case: Case) -> None:
    """A quarter of the squared error is one signal, three quarters another."""
    random = np.random.default_rng(0)
    basis, _ = np.linalg.qr(random.standard_normal((SAMPLES, 3)))
    wanted, other, unrelated = basis.T
    left = left_by(case, 5.0 * wanted + np.sqrt(75.0) * other)
    nothing = np.zeros((SAMPLES, 0))
    share, effect = left.explained(1, wanted[:, None], nothing)
    # a recording of 20 s at 200 Hz has 4000 values, of which chance may explain 3
    chance = 3 / SAMPLES
    assert share == pytest.approx(0.25 - chance, abs=1e-6)
    size = np.linalg.norm(case.comparisons[0].measured[:, 1])
    assert effect == pytest.approx(np.sqrt(25.0 - 100.0 * chance) / size, rel=1e-4)
    assert left.explained(1, unrelated[:, None], nothing) == (0.0, 0.0)
    # the part that the joint's own signals explain is not attributed to another joint
    assert left.explained(1, wanted[:, None], wanted[:, None]) == (0.0, 0.0)
    share, _ = left.explained(1, wanted[:, None], other[:, None])
    assert share == pytest.approx(0.25 * (1 - chance), abs=1e-6)


def test_nothing_is_explained_at_a_joint_without_error_or_torque(case: Case) -> None:
    left = left_by(case, np.zeros(SAMPLES))
    assert left.explained(1, left.velocity[:, [1]], np.zeros((SAMPLES, 0))) == (0.0, 0.0)
    left.torque, left.error = np.zeros((SAMPLES, 3)), np.ones((SAMPLES, 3))
    assert left.explained(1, left.velocity[:, [1]], np.zeros((SAMPLES, 0))) == (0.0, 0.0)


def test_plain_signals_are_those_of_the_terms_that_were_fitted(case: Case) -> None:
    left = TorqueResidual(case)
    velocity = case.signals[0].velocity[:, 1]
    expected = np.column_stack([np.ones(SAMPLES), velocity, np.sign(velocity)])
    np.testing.assert_array_equal(left.plain(1), expected)
    assert named(left.fitted(1)) == {"viscous", "coulomb", "offset"}
    assert named(left.fitted(0)) == {"viscous", "coulomb", "offset", "viscous_cubic"}
    given = TorqueResidual(replace(case, fit=None))  # no term of a given model is fitted
    assert named(given.kinds(1)) == {"viscous", "coulomb", "offset"}
    assert given.fitted(1) == set()
    np.testing.assert_array_equal(given.plain(1), np.ones((SAMPLES, 1)))


def test_signals_of_friction_are_those_of_the_joint_terms(case: Case) -> None:
    """Each signal is the mechanism's torque of the term with parameter 1."""
    signals, peak = case.signals[0], np.abs(case.signals[0].velocity[:, 1]).max()
    found = TorqueResidual(case).friction(1)
    for kind, scale in (
        ("viscous", None),
        ("coulomb", None),
        ("viscous_cubic", None),
        ("viscous_root", None),
        ("coulomb_load", None),
        ("stribeck", 0.1 * peak),
    ):
        term = {"kind": kind, "joints": ["elbow"]} | ({} if scale is None else {"scale": scale})
        mechanism = arm_robot(terms=[term]).mechanism()
        bodies = mechanism.urdf_parameters
        single = bodies.copy()
        single[mechanism.first_term] = 1.0
        # loads are those of the fitted model
        assert case.model is not None
        loaded = case.model.parameters[: mechanism.first_term]
        mechanism = mechanism.with_parameters(np.append(loaded, 0.0))
        motion = signals.motion
        torque = mechanism.torque(*motion, single) - mechanism.torque(*motion, bodies)
        column = found[kind][2 if kind == "stribeck" else 0]
        np.testing.assert_allclose(column, torque[:, 1], atol=1e-9 * max(1.0, np.abs(column).max()))
