"""Body from normal equations: identifiable parameters and the others."""

from __future__ import annotations

import numpy as np
import pytest
from support.carried_body import CENTRE, MASS, PARAMETERS

from dynid.control.build import control_law
from dynid.dynamics.rigid_body import Body, steiner
from dynid.estimation.physical import pseudo_inertia
from dynid.identification.payload.consistent import consistent_body, find_posterior
from dynid.profile import load_robot


def seen(variance: np.ndarray, parameters: np.ndarray = PARAMETERS) -> Body:
    """The body from measurements of its parameters with variances; infinity: not measured."""
    matrix = np.diag(1 / variance)
    return consistent_body(find_posterior(matrix, matrix @ parameters, matrix))


def controller_takes(body: Body) -> bool:
    law = control_law(load_robot("puma560"), control_rate=1000.0)
    xx, xy, yy, xz, yz, zz = body.inertia
    law.set_payload(body.mass, body.centre, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return True


def test_accurately_measured_parameters_are_found() -> None:
    body = seen(np.full(10, 1e-12))
    assert body.determined.all()
    np.testing.assert_allclose(body.parameters, PARAMETERS, rtol=1e-5)
    assert controller_takes(body)


def test_a_body_without_measured_inertia_is_a_point_mass() -> None:
    body = seen(np.array([*4 * [1e-8], *6 * [np.inf]]))
    assert body.determined.tolist() == 4 * [True] + 6 * [False]
    np.testing.assert_allclose(body.parameters[:4], PARAMETERS[:4], rtol=1e-3)
    # small compared with mass times (0.1 m)^2
    np.testing.assert_allclose(body.parameters[4:], steiner(MASS, CENTRE), atol=0.01 * MASS * 0.01)
    assert controller_takes(body)


def test_moments_of_inertia_that_are_not_measured_are_as_small_as_possible() -> None:
    variance = np.full(10, np.inf)
    variance[[0, 1, 2, 9]] = 1e-10
    about_centre = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 4e-3])
    centre = np.array([*CENTRE[:2], 0.0])
    parameters = np.concatenate([[MASS], MASS * centre, about_centre + steiner(MASS, centre)])
    body = seen(variance, parameters)
    assert body.inertia[5] == pytest.approx(4e-3, rel=1e-3)
    # triangle inequality
    assert body.inertia[0] + body.inertia[2] == pytest.approx(4e-3, rel=2e-2)
    assert controller_takes(body)


def test_inconsistent_parameters_are_made_consistent() -> None:
    impossible = PARAMETERS.copy()
    impossible[4:] = steiner(MASS, CENTRE) - 5e-3 * np.array([1, 0, 1, 0, 0, 1])
    body = seen(np.full(10, 1e-6), impossible)
    assert np.linalg.eigvalsh(pseudo_inertia(body.parameters))[0] > 0
    assert controller_takes(body)


def test_a_negative_mass_becomes_nearly_zero() -> None:
    body = seen(np.full(10, 1e-4), -PARAMETERS)
    assert 0 < body.mass < 0.1
    assert controller_takes(body)


def test_nothing_is_identifiable_without_measurements() -> None:
    body = seen(np.array([1e2, *9 * [np.inf]]))
    assert not body.determined.any()


def test_an_unknown_centre_makes_the_mass_uncertain() -> None:
    # one torque with the lever arm 0.7 m of the mass, plus that of the centre
    row = np.array([0.7, 1.0, *8 * [0.0]])[:, None] / 1e-6
    posterior = find_posterior(row @ row.T, row[:, 0] * (row[:, 0] @ PARAMETERS), row @ row.T)
    deviation = np.sqrt(posterior.covariance[0, 0])
    # the centre may be 0.2 m away
    assert deviation == pytest.approx(0.2 / 0.7 * posterior.mean[0], rel=0.2)
    assert abs(posterior.mean[0] - MASS) < 2 * deviation
