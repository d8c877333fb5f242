"""The program that gives a model of a single axis to softMC."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dynid.errors import ModelFileError
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.robot.softmc_program import GRAVITY, softmc_program
from dynid.simulation.true_parameters import simulated_model

LINE = re.compile(r"(\w+)\.(\w+)(?:\[(\d)\])? = (\S+)")


def simulated(name: str, *without: str) -> Model:
    return simulated_model(load_robot(name)).without_terms(without)


def read(program: str) -> dict[str, float]:
    """Return the assigned properties of a program, as softMC reads them."""
    lines = [line for line in program.splitlines() if not line.startswith("'")]
    assert lines[0] == "PROGRAM CONTINUE"
    assert lines[-1] == "TERMINATE PROGRAM"
    assigned = [found.groups() for found in map(LINE.fullmatch, lines) if found]
    return {f"{name}{number or ''}": float(value) for _, name, number, value in assigned}


def friction(read_values: dict[str, float], velocity: np.ndarray) -> np.ndarray:
    return -(
        read_values["ViscousFriction"] * velocity
        + read_values["CoulombFriction"] * np.sign(velocity)
    )


def motion(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    position, velocity, acceleration = np.random.default_rng(seed).normal(size=(3, 50, 1))
    return position, velocity, acceleration


@pytest.mark.parametrize("name", ["axis_rotary", "axis_crank_horizontal"])
def test_an_axis_without_gravity_is_an_inertia_with_friction(name: str) -> None:
    model = simulated(name, "offset")
    values = read(softmc_program(model))
    position, velocity, acceleration = motion()
    torque = values["DynamicParameter1"] * acceleration + friction(values, velocity)
    expected = model.inverse_dynamics(position, velocity, acceleration)
    np.testing.assert_allclose(torque, expected, rtol=1e-8, atol=1e-8)
    assert values["DynamicModel"] == 1


def test_a_horizontal_crank_arm_with_a_payload_is_model_2() -> None:
    values = read(softmc_program(simulated("axis_crank_horizontal", "offset"), arm_length=0.4))
    assert values["DynamicModel"] == 2
    assert values["DynamicParameter2"] == pytest.approx(0.16)


def test_a_vertical_crank_arm_has_the_torque_of_gravity() -> None:
    model = simulated("axis_crank_vertical", "offset")
    values = read(softmc_program(model, arm_length=0.5))
    position, velocity, acceleration = motion()
    expected = model.inverse_dynamics(position, velocity, acceleration)
    # where gravity torque is 0 depends on the zero of the axis, here taken from the model
    at_zero, at_quarter = model.gravity(np.array([[0.0], [np.pi / 2]]))[:, 0]
    phase = np.arctan2(at_quarter, at_zero)
    torque = (
        values["DynamicParameter1"] * acceleration
        + values["DynamicParameter3"] * np.cos(position - phase)
        + friction(values, velocity)
    )
    np.testing.assert_allclose(torque, expected, rtol=1e-8, atol=1e-7)
    assert values["DynamicModel"] == 3
    assert values["DynamicParameter2"] == pytest.approx(0.25)
    assert values["DynamicParameter4"] == pytest.approx(0.5 * GRAVITY)


@pytest.mark.parametrize(
    ("name", "without", "number"),
    [("axis_linear", ("offset",), 1), ("axis_linear", (), 2), ("axis_linear_tilted", (), 2)],
)
def test_a_linear_axis_has_mass_and_constant_force(
    name: str, without: tuple[str, ...], number: int
) -> None:
    model = simulated(name, *without)
    values = read(softmc_program(model))
    position, velocity, acceleration = motion()
    force = (
        values["DynamicParameter1"] * acceleration
        + values.get("DynamicParameter2", 0.0)
        + friction(values, velocity)
    )
    expected = model.inverse_dynamics(position, velocity, acceleration)
    np.testing.assert_allclose(force, expected, rtol=1e-8, atol=1e-7)
    assert values["DynamicModel"] == number
    assert values.get("DynamicParameter3", GRAVITY) == pytest.approx(GRAVITY)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (("scara",), "has 4 joints, but IDNT.PRG is written for single axes only"),
        (("axis_linear_spring",), "no parameter for the joint terms spring_stiffness"),
        (("axis_rotary",), "omit them .--without offset."),
    ],
)
def test_refuses_models_that_the_manual_does_not_describe(
    model: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        softmc_program(simulated(*model))


@pytest.mark.parametrize("axis", ["", "A 1", "A1\nA2.En = 1", "1A", "Ä"])
def test_refuses_an_axis_name_that_is_none(axis: str) -> None:
    with pytest.raises(ModelFileError, match="is no name of softMC"):
        softmc_program(simulated("axis_rotary", "offset"), axis)


@pytest.mark.parametrize("length", [np.inf, np.nan, -1.0, 1e308])
def test_refuses_an_arm_that_is_no_length(length: float) -> None:
    model = simulated("axis_crank_horizontal", "offset")
    with pytest.raises(ModelFileError, match="expected its length from 0 to 1000 m"):
        softmc_program(model, arm_length=length)
