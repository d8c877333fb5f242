"""Data of motors: every value has a source, and profiles take their values from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dynid import cli
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.drives import torque_per_ampere
from dynid.robot.servo import QUANTITIES, Motor, load_motor, shipped_motors
from dynid.simulation.true_parameters import simulated_model


@pytest.mark.parametrize("name", shipped_motors())
def test_every_source_has_an_address_and_a_licence_and_is_used(name: str) -> None:
    motor = shipped_motors()[name]
    assert motor.sources.keys() == {value.source for value in motor.values.values()}
    for source in motor.sources.values():
        assert source.url.startswith("https://")
        assert source.licence


@pytest.mark.parametrize("robot", ["so101", "servo_rig"])
def test_the_profiles_of_servo_arms_have_the_values_of_their_motor(robot: str) -> None:
    loaded, motor = load_robot(robot), shipped_motors()["sts3215_7v4"]
    value = {name: one.value for name, one in motor.values.items()}
    servo = loaded.servo
    assert servo is not None
    assert servo.supply_voltage == (value["supply_voltage"],)
    assert servo.output_max == (value["output_max"],)
    assert servo.resistance == pytest.approx((value["resistance"],), rel=1e-4)
    assert servo.position_gain == pytest.approx((16 * value["duty_per_gain"],))
    constants = torque_per_ampere(loaded.drives, len(loaded.joints))
    assert constants == pytest.approx(value["torque_constant"], rel=1e-4)
    mechanism = simulated_model(loaded).mechanism
    parameters = dict(zip(mechanism.parameter_names, mechanism.parameters, strict=True))
    for name, quantity in (("Ia1", "rotor_inertia"), ("Fc1", "coulomb"), ("Fv1", "viscous")):
        assert parameters[name] == pytest.approx(value[quantity], rel=1e-3)


def test_the_list_has_units_values_and_sources() -> None:
    result = CliRunner().invoke(cli.app, ["robots", "--motors"])
    assert result.exit_code == 0
    assert "torque_constant" in result.stdout
    assert "not stated" in result.stdout
    assert "Apache-2.0" in result.stdout
    listed = json.loads(CliRunner().invoke(cli.app, ["robots", "--motors", "--json"]).stdout)
    assert listed["units"] == QUANTITIES
    assert {name: Motor(**one) for name, one in listed["motors"].items()} == shipped_motors()


VALUE = "{value: 1.0, standard_deviation: 0.1, source: mine}"
SOURCES = "sources: {mine: {name: a rig, url: 'https://example.org', licence: CC0-1.0}}"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (f"{{friction: {VALUE}}}", "'friction' must be one of torque_constant"),
        (f"{{coulomb: {VALUE.replace('mine', 'other')}}}", "source 'other' of 'coulomb'"),
        (f"{{coulomb: {VALUE.replace('0.1', 'small')}}}", "standard_deviation"),
        ("{coulomb: {value: 1.0}}", "standard_deviation"),
    ],
)
def test_a_value_without_a_unit_or_a_source_is_refused(
    values: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "motor.yaml"
    file.write_text(f"label: mine\nvalues: {values}\n{SOURCES}\n")
    with pytest.raises(ConfigurationError, match=words):
        load_motor(file)


def test_a_folder_for_pictures_of_motors_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["robots", "--motors", "-o", str(tmp_path)])
    assert isinstance(result.exception, ConfigurationError)
