"""Models to compare with: plain friction, and the masses of the URDF."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.rubbing_arm import PLAIN, rubbing
from support.synthetic import arm_robot

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.cross_validation import cross_validate
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.evaluation.plain_model import plain_held_out, urdf_terms
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess

STRIBECK = {"kind": "stribeck", "smoothing": 0.05, "scale": 0.2}


def fitted(*terms: dict[str, object]) -> Fit:
    robot = arm_robot(
        terms=[*PLAIN, *terms],
        identification={"physical": {"enabled": False}, "velocity_threshold": {"fit": "all"}},
    )
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    signals = [preprocess(one, robot) for one in rubbing(STRIBECK, samples=1000, Fs2=3.0)]
    return fit(
        build_problem(mechanism, base_parameterization(mechanism), signals, settings), settings
    )


def test_plain_terms_have_the_errors_of_their_own_cross_validation() -> None:
    rich, plain = fitted(STRIBECK), fitted()
    found = plain_held_out(rich, cross_validate(rich))
    assert found is not None
    np.testing.assert_allclose(found, cross_validate(plain).relative_error, rtol=0.02)
    assert found[1] > 1.5 * cross_validate(rich).relative_error[1]
    assert plain_held_out(plain, cross_validate(plain)) is None


def test_what_physical_consistency_costs_the_model_it_costs_plain_terms() -> None:
    rich = fitted(STRIBECK)
    held_out = cross_validate(rich)
    doubled = replace(held_out, relative_error=tuple(2 * e for e in held_out.relative_error))
    assert plain_held_out(rich, doubled) == pytest.approx(
        [2 * e for e in plain_held_out(rich, held_out) or ()]
    )


def test_no_other_terms_fit_better_with_the_masses_of_the_urdf() -> None:
    fit_of_arm = fitted()
    problem, estimate = fit_of_arm.problem, fit_of_arm.estimate
    mechanism = problem.mechanism
    bodies = mechanism.urdf_parameters[: mechanism.first_term]

    def error(terms: np.ndarray) -> float:
        base = problem.base.project(np.concatenate([bodies, terms]))
        return float(np.sum(estimate.equations.squared_error(base) / estimate.joint_variance))

    terms = np.array(urdf_terms(fit_of_arm))
    steps = np.diag(np.full(len(terms), 1e-3))
    assert all(error(terms + sign * step) > error(terms) for step in steps for sign in (1, -1))
