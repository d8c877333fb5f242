"""What physical consistency costs on blocks left out."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitting import build_problem, fit
from dynid.estimation.settings import PhysicalSettings
from dynid.evaluation.consistency_price import ConsistencyPrice, consistency_price
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess


def price(
    changed: dict[str, float] | None = None, *, samples: int = 1500, noise: float = 0.1
) -> ConsistencyPrice:
    """Return the price for an arm with some true parameters changed."""
    terms = [{"kind": "viscous"}, {"kind": "offset"}, {"kind": "rotor_inertia"}]
    robot = arm_robot(terms=terms, identification={"cutoff_hz": None, "trim_rest": False})
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    truth = true_parameters(mechanism)
    for name, value in (changed or {}).items():
        truth[mechanism.parameter_names.index(name)] = value
    signals = [preprocess(recorded(mechanism, truth, samples=samples, noise=noise), robot)]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    found = consistency_price(fit(problem, settings), settings.physical)
    assert found is not None
    return found


def test_a_consistent_robot_pays_nothing() -> None:
    found = price()
    assert found.total == 0.0
    assert found.consistent == found.unconstrained
    assert not list(found.warnings(("j1", "j2", "j3")))
    assert "no torque error that matters" in found.sentence()


def test_a_joint_whose_torque_no_rotor_explains_is_named_with_the_parameter() -> None:
    found = price({"Ia3": -0.5})
    assert found.costly[2]
    assert found.consistent[2] > 1.05 * found.unconstrained[2]
    (sentence,) = found.warnings(("j1", "j2", "j3"))
    assert "j3 (" in sentence
    assert "Ia3 would be -0.25 ± " in sentence  # shared with ZZ3, which acts alike


def test_noise_that_bodies_take_up_makes_consistent_predictions_better() -> None:
    found = price(samples=80, noise=20.0)
    assert found.total < 0.0
    assert not found.costly.any()


def test_the_excess_is_the_relative_difference_of_the_squared_errors() -> None:
    found = price({"Ia3": -0.5})
    ratio = np.array(found.consistent) / np.array(found.unconstrained)
    np.testing.assert_allclose(found.excess, ratio**2 - 1, rtol=1e-9)
    assert found.total == pytest.approx(np.mean(found.excess))


def test_nothing_is_known_where_consistency_is_not_required() -> None:
    robot = arm_robot(identification={"cutoff_hz": None, "physical": {"enabled": False}})
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    signals = [preprocess(recorded(mechanism, true_parameters(mechanism)), robot)]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    assert consistency_price(fit(problem, settings), PhysicalSettings(enabled=False)) is None
