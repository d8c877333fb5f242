"""Draws of a model's parameters by their uncertainty."""

from __future__ import annotations

import numpy as np
import pytest
from support.elastic_rod import Gear, recording

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.physical import is_physically_consistent
from dynid.robot.model import Model, nominal_model
from dynid_plugins.elastic.link_torque import identify_links
from dynid_plugins.elastic.parameter_draws import parameter_changes
from dynid_plugins.elastic.two_encoders import two_encoders


@pytest.fixture(scope="module")
def model() -> Model:
    robot = Gear().robot()
    pair = two_encoders(*recording(robot), robot)
    return identify_links([pair], robot, [np.array([3e-3])]).model


def test_every_draw_is_physically_consistent(model: Model) -> None:
    changes = parameter_changes(model)
    assert len(changes) == 40
    for change in changes:
        assert is_physically_consistent(model.mechanism, model.parameters + change)


def test_draws_scatter_as_the_covariance_where_bodies_have_no_bounds(model: Model) -> None:
    base = base_parameterization(model.mechanism)
    number = base.names.index("MX1") if "MX1" in base.names else base.names.index("MY1")
    name = base.names[number]
    place = model.base.names.index(name)
    drawn = base.regrouping[number] @ parameter_changes(model).T
    stated = model.base.standard_deviations[place]
    assert np.sqrt(np.mean(drawn**2)) == pytest.approx(stated, rel=0.5)


def test_a_model_without_a_covariance_has_no_draws() -> None:
    model = nominal_model(Gear().robot())
    assert parameter_changes(model).shape == (0, len(model.parameters))


def test_without_consistency_the_estimates_themselves_are_drawn() -> None:
    robot = Gear().robot("identification.physical.enabled=false")
    pair = two_encoders(*recording(robot), robot)
    model = identify_links([pair], robot, [np.array([3e-3])]).model
    base = base_parameterization(model.mechanism)
    drawn = base.regrouping @ parameter_changes(model).T
    stated = np.diag(model.base.covariance_of(base.names))
    assert np.mean(drawn**2, axis=1) == pytest.approx(stated, rel=0.6)
