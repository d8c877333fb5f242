"""The six single axes and the SCARA of three joints, and their identification."""

from __future__ import annotations

import json
from functools import cache
from io import StringIO
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.settings import Quantities
from dynid.json_text import json_text
from dynid.playback.plan import make_plan
from dynid.profile import load_model, load_robot
from dynid.report.card import Card
from dynid.report.report import report_html
from dynid.report.terminal.results import print_demonstration, print_identification
from dynid.report.verdict_json import read_quantities, verdict_json
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

AXES = (
    "axis_crank_horizontal",
    "axis_crank_vertical",
    "axis_linear",
    "axis_linear_spring",
    "axis_linear_tilted",
    "axis_rotary",
)
every_robot = pytest.mark.parametrize("name", [*AXES, "scara_3"])


@every_robot
def test_limits_of_profile_and_urdf_agree(name: str) -> None:
    robot = load_robot(name)
    root = ET.fromstring(robot.urdf_xml)  # noqa: S314 (our own file)
    joints = {joint.get("name"): joint for joint in root.iter("joint")}
    for number, joint in enumerate(robot.joints):
        limit = joints[joint].find("limit")
        assert limit is not None
        low, high, velocity = (float(limit.get(k, "nan")) for k in ("lower", "upper", "velocity"))
        assert robot.limits.range_of("position", number) == (low, high)
        assert robot.limits.range_of("velocity", number) == (-velocity, velocity)


@every_robot
def test_the_excitation_needs_torque_well_above_noise_and_below_what_there_is(name: str) -> None:
    robot = load_robot(name)
    mechanism = robot.mechanism()
    motion = make_plan(robot).excitation
    samples = motion.evaluate(np.arange(0.0, motion.duration, 0.01))
    simulation = robot.find(SimulationSettings)
    assert simulation is not None
    torque = mechanism.torque(*samples, true_parameters(mechanism, simulation))
    largest = np.abs(torque).max(axis=0)
    assert np.all(largest > 10 * np.array(simulation.torque_noise))
    assert np.all(largest < 0.95 * np.array(robot.limits.torque_max))


@every_robot
def test_every_link_is_drawn(name: str) -> None:
    root = ET.fromstring(load_robot(name).urdf_xml)  # noqa: S314 (our own file)
    assert all(link.find("visual/geometry") is not None for link in root.iter("link"))


def test_the_tilt_is_not_in_the_description_of_the_tilted_axis() -> None:
    robot = load_robot("axis_linear_tilted")
    assert np.allclose(robot.mechanism().gravity_torque([[0.0], [0.2]]), 0.0, atol=1e-12)


def test_gravity_pulls_at_the_vertical_crank_arm_only() -> None:
    torque = {}
    for name in ("axis_rotary", "axis_crank_horizontal", "axis_crank_vertical"):
        robot = load_robot(name)
        torque[name] = float(robot.mechanism().gravity_torque([0.0])[0])
    # at 0 the vertical one is level: weight times the distance along the arm
    assert torque["axis_crank_vertical"] == pytest.approx(5.4 * 9.80665 * 0.21)
    assert abs(torque["axis_rotary"]) + abs(torque["axis_crank_horizontal"]) < 1e-12


def test_the_scara_of_three_axes_is_that_of_four_without_its_hand() -> None:
    three = load_robot("scara_3").mechanism()
    four = load_robot("scara").mechanism()
    names = dict(zip(three.parameter_names, three.urdf_parameters, strict=True))
    random = np.random.default_rng(0)
    names |= {term: random.uniform(0, 5) for term in three.parameter_names[30:]}
    motion = random.uniform(-1, 1, (3, 20, 4))
    torque = four.torque(*motion, [names.get(name, 0.0) for name in four.parameter_names])
    expected = three.torque(
        *np.ascontiguousarray(motion[:, :, :3]), [names[name] for name in three.parameter_names]
    )
    assert np.allclose(torque[:, :3], expected, rtol=1e-12, atol=1e-10)


# --- where quantities are shown -------------------------------------------------------------------


@cache
def spring() -> Identification:
    # with a rotor inertia, mass and weight are no longer known from inertia
    terms = "[{kind: viscous}, {kind: coulomb}, {kind: spring_stiffness}, {kind: spring_preload}"
    overrides = ["excitation.periods=1", f"terms={terms}, {{kind: rotor_inertia}}]"]
    robot = load_robot("axis_linear_spring", overrides=overrides)
    return identify(robot, [simulate(robot, make_plan(robot).excitation)])


def printed(function, *arguments: object) -> str:
    console = Console(file=StringIO(), width=100)
    function(console, *arguments)
    return console.file.getvalue()


UNKNOWN = ("total_mass", "gravity_force", "spring_preload")


def test_the_terminal_shows_values_with_deviations_and_why_others_are_unknown() -> None:
    known = {one.name: one for one in spring().quantities if not one.unknown}
    assert known.keys() == {"constant_force", "spring_stiffness"}
    for text in (
        printed(print_identification, spring()),
        printed(print_demonstration, {}, spring().quantities),
    ):
        lines = {line.split()[0]: line.split() for line in text.splitlines() if line}
        stiffness = known["spring_stiffness"]
        assert lines["spring_stiffness"][1] == f"{stiffness.value:#.4g}".rstrip(".")
        assert lines["spring_stiffness"][3] == "N/m"
        assert lines["spring_preload"][1:] == ["–", "–", "N"]
        for name in UNKNOWN:
            assert f"  - {name}: torque depends on its parameters only in" in text


def test_what_is_printed_as_json_is_read_back_as_the_same_quantities() -> None:
    content = verdict_json(
        Card.of(spring()),
        condition_number=1.0,
        base_parameters=5,
        samples=9,
        quantities=spring().quantities,
    )
    text = json_text(content)
    assert json.loads(text)["quantities"]["total_mass"]["value"] is None
    # NaN is not equal to itself, its text is
    assert str(read_quantities(text)) == str(spring().quantities)
    assert read_quantities("{}") == ()


def test_the_report_has_a_row_for_every_quantity_and_no_section_without_any() -> None:
    report = report_html(spring())
    for one in spring().quantities:
        assert f'<th scope="row">{one.name}</th>' in report
        assert ("Not known: " if one.unknown else one.meaning) in report
    robot = load_robot("axis_linear_spring", overrides=["quantities={}"])
    recording = simulate(robot, make_plan(robot).excitation)
    assert "#quantities" not in report_html(identify(robot, [recording]))


def test_a_model_file_with_quantities_in_its_header_is_read(tmp_path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(spring().model.text(), encoding="utf-8")
    header = [line for line in path.read_text().splitlines() if line.startswith("#")]
    for one in spring().quantities:
        assert any(line.startswith(f"#   {one.name}: ") for line in header)
    assert load_model(path).robot.settings(Quantities) == spring().robot.settings(Quantities)
