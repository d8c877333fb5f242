"""Mass, centre and inertia from ten parameters."""

from __future__ import annotations

import numpy as np
import pytest
from support.carried_body import CENTRE, INERTIA, MASS, PARAMETERS, TRUTH

from dynid.dynamics.rigid_body import QUANTITIES, Body


def body(
    parameters: np.ndarray = PARAMETERS,
    covariance: np.ndarray | None = None,
    identifiable: tuple[int, ...] = tuple(range(10)),
) -> Body:
    determined = np.zeros(10, dtype=bool)
    determined[list(identifiable)] = True
    return Body(parameters, 1e-12 * np.eye(10) if covariance is None else covariance, determined)


def test_mass_centre_and_inertia_are_computed_from_the_parameters() -> None:
    assert body().mass == MASS
    np.testing.assert_allclose(body().centre, CENTRE, rtol=1e-14)
    np.testing.assert_allclose(body().inertia, INERTIA, rtol=1e-12)
    np.testing.assert_allclose(body().quantities, TRUTH, rtol=1e-12)


def test_inertia_about_the_joint_is_that_of_mass_points() -> None:
    random = np.random.default_rng(0)
    masses, points = random.uniform(0.1, 1.0, 6), random.uniform(-0.2, 0.2, (6, 3))
    inertia = sum(
        m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True)
    )
    centre = masses @ points / masses.sum()
    about_centre = sum(
        m * (d @ d * np.eye(3) - np.outer(d, d))
        for m, d in zip(masses, points - centre, strict=True)
    )
    entries = ([0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2])
    parameters = np.concatenate([[masses.sum()], masses @ points, inertia[entries]])
    found = body(parameters)
    np.testing.assert_allclose(found.centre, centre, rtol=1e-12)
    np.testing.assert_allclose(found.inertia, about_centre[entries], atol=1e-14)


def test_deviations_are_those_of_finite_differences() -> None:
    random = np.random.default_rng(1)
    root = random.standard_normal((10, 10)) * 1e-3
    step = 1e-6
    columns = [
        (body(PARAMETERS + change).quantities - body(PARAMETERS - change).quantities) / (2 * step)
        for change in step * np.eye(10)
    ]
    jacobian = np.transpose(columns)
    covariance = root @ root.T
    expected = np.sqrt(np.diag(jacobian @ covariance @ jacobian.T))
    np.testing.assert_allclose(body(covariance=covariance).deviations, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("identifiable", "expected"),
    [
        # M, MX, MY, ZZ: all that a SCARA feels
        ((0, 1, 2, 9), {"mass", "centre x", "centre y", "inertia zz"}),
        ((0,), {"mass"}),
        # a crank: no mass, so nothing about the centre of mass either
        ((1, 2, 9), set()),
        ((0, 1, 2, 3), {"mass", "centre x", "centre y", "centre z"}),
        ((0, 2, 3, 4), {"mass", "centre y", "centre z", "inertia xx"}),
        ((0, 1, 2, 5), {"mass", "centre x", "centre y", "inertia xy"}),
    ],
)
def test_a_quantity_is_identifiable_with_all_parameters_it_needs(
    identifiable: tuple[int, ...], expected: set[str]
) -> None:
    found = body(identifiable=identifiable).identifiable
    assert {name for (name, _), yes in zip(QUANTITIES, found, strict=True) if yes} == expected


def test_an_inertia_with_too_uncertain_a_centre_is_not_identifiable() -> None:
    # known about the joint to a hundredth, where most of it is due to the distance
    far = np.concatenate([[MASS], MASS * np.array([2.0, 0.0, 0.0]), np.zeros(6)])
    far[[6, 9]] = 4.0 * MASS + 1e-3
    found = body(far, np.diag(np.square(0.01 * np.abs(far)) + 1e-12))
    assert found.identifiable[:4].all()
    assert not found.identifiable[[6, 9]].any()
