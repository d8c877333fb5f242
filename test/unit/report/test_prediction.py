"""A prediction on a terminal, as JSON, as a picture and as a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from support.html_page import HtmlPage
from support.small_robot import ROBOT, URDF

from dynid.excitation.build import build_excitation
from dynid.excitation.prediction.advice import worst_first
from dynid.excitation.prediction.prediction import predict
from dynid.excitation.settings import find_excitation
from dynid.json_text import json_text
from dynid.playback.plan import make_plan
from dynid.profile import load_robot, make_robot
from dynid.report.prediction import (
    deviation_chart,
    limit_use_chart,
    motion_charts,
    prediction_scene,
    write_picture,
    write_prediction_report,
)
from dynid.report.terminal.prediction import prediction_json, print_prediction
from dynid.report.view.turntable import turntable
from dynid.robot.model import nominal_model
from dynid.simulation.settings import stated_torque_noise

STRANGE = "elbow & <co> $x$"


def prediction_of(name):
    robot = load_robot(name, overrides=["excitation.periods=1"])
    stated = stated_torque_noise(robot, robot.mechanism())
    excitation = make_plan(robot).excitation
    return predict(nominal_model(robot), excitation, sampling_rate=200.0, stated_noise=stated)


@pytest.fixture(scope="module")
def duo():
    urdf = URDF.replace('"elbow"', '"elbow &amp; &lt;co&gt; $x$"')
    robot = make_robot(ROBOT | {"joints": ["shoulder", STRANGE]}, urdf)
    motion = build_excitation(find_excitation(robot), robot.limits, robot.joints)
    return predict(nominal_model(robot), motion, noise=[1.0, 9.0])


@pytest.fixture(scope="module")
def scara():
    return prediction_of("scara")


@pytest.fixture(scope="module")
def page(duo, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "excitation.html"
    write_prediction_report(duo, path)
    return path.read_text("utf-8")


def printed(prediction):
    console = Console(file=StringIO(), width=80)
    print_prediction(console, prediction)
    return console.file.getvalue()


def test_a_terminal_shows_every_joint_and_every_poor_parameter(duo):
    lines = printed(duo).splitlines()
    for joint in duo.joints:
        assert any(line.startswith(joint) for line in lines)
    weak = worst_first(duo)
    assert weak
    for one in weak:
        assert any(line.startswith(one.name) for line in lines)
    assert len(lines) <= 60
    assert lines[-1].startswith("The motion determines all ")


def test_tables_fit_a_hundred_columns_with_long_names_of_joints():
    lines = printed(prediction_of("yumi")).splitlines()
    assert len(lines) <= 75
    start = next(number for number, line in enumerate(lines) if line.startswith("joint "))
    assert max(map(len, lines[start : start + 17])) <= 100


def test_json_has_null_for_unknown_values(duo):
    lost = replace(duo.parameters[0], standard_deviation=np.inf)
    unsure = replace(
        duo,
        parameters=(lost, *duo.parameters[1:]),
        precision=replace(duo.precision, condition_number=np.inf),
    )
    found = json.loads(json_text(prediction_json(unsure)))
    assert found["condition_number"] is None
    assert found["parameters"][lost.name]["standard_deviation"] is None
    assert found["parameters"][lost.name]["determined"] is False
    assert found["parameters"]["Fv1"]["relative_standard_deviation"] is None
    assert set(found["joints"]) == set(duo.joints)
    assert found["joints"]["shoulder"]["torque"]["noise"] == 1.0


def test_a_picture_is_1600_pixels_wide_and_not_empty(duo, tmp_path):
    path = tmp_path / "excitation.png"
    write_picture(duo, path)
    with Image.open(path) as picture:
        assert picture.size[0] == 1600
        grey = np.asarray(picture.convert("L"))
    # neither the robot, nor limits, bars and curves are left out
    for part in (grey[105:690, :800], grey[105:690, 800:], grey[690:1040], grey[1040:]):
        assert (part < 200).any()


def test_a_limit_is_a_line_where_it_is_near_and_a_number_where_it_is_far(duo):
    for chart, name in zip(
        motion_charts(duo), ("position", "velocity", "acceleration", ""), strict=False
    ):
        limits = duo.limits.range_of(name or "torque_max", 0)
        assert set(chart.across) <= set(limits)
        assert (f" limits ± {limits[1]:#.3g}" in chart.y_label) == (chart.across == ())


def test_bars_show_the_parameters_with_a_known_value(duo):
    heights = np.max([layer.y for layer in deviation_chart(duo).layers], axis=0)
    expected = [100 * one.relative if one.known else 0.01 for one in duo.parameters]
    assert heights == pytest.approx(expected)


def test_without_known_values_a_sentence_replaces_the_bars(duo, tmp_path):
    unknown = replace(duo, parameters=tuple(replace(one, value=0.0) for one in duo.parameters))
    write_prediction_report(unknown, tmp_path / "page.html")
    assert "No value is known." in (tmp_path / "page.html").read_text("utf-8")
    write_picture(unknown, tmp_path / "page.png")


def test_without_limits_no_use_of_them_is_drawn(duo):
    free = replace(duo, torques=tuple(replace(one, share=None) for one in duo.torques))
    drawn = {layer.label: layer.y.any() for layer in limit_use_chart(free).layers}
    assert drawn == {"range": True, "velocity": True, "acceleration": True, "torque": False}


def test_a_page_shows_every_joint_and_parameter(duo, page):
    parsed = HtmlPage(page)
    for name in (*duo.joints, *(one.name for one in duo.parameters)):
        assert any(name in text for text in parsed.texts), name
    assert "Infinity" not in page
    assert "nan" not in re.findall(r"[a-z]+", page)


def test_the_figures_of_a_page_are_charts_with_names_and_units(scara, tmp_path):
    write_prediction_report(scara, tmp_path / "page.html")
    parsed = HtmlPage((tmp_path / "page.html").read_text("utf-8"))
    described = [attributes.get("aria-label") for _, attributes in parsed.tags]
    for joint in scara.joints:
        assert f"Acceleration of {joint} over time" in described
        assert f"{joint}: torque" in parsed.texts
        assert joint in parsed.texts  # below its bars
    units = ("[rad]", "[m]", "[rad/s²]", "[N·m]", "[N]")
    assert all(any(text.startswith(unit) for text in parsed.texts) for unit in units)
    assert "row of the table of all base parameters" in parsed.texts


def test_a_page_has_no_external_resources(page):
    parsed = HtmlPage(page)
    parsed.assert_loads_nothing()
    (policy,) = parsed.policies
    assert policy.startswith("default-src 'none'")


def test_the_turntable_shows_points_where_parallel_projection_puts_them(scara):
    table = turntable(prediction_scene(scara))
    (path,) = (stroke for stroke in table.strokes if stroke.kind == "path")
    space = np.array([point.split(",") for point in path.space.split()], dtype=float)
    seen = np.array([point.split(",") for point in path.points.split()], dtype=float)
    azimuth, elevation = np.radians(-54.0), np.radians(22.0)
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    ahead = np.array([np.cos(azimuth), np.sin(azimuth), 0])
    down = np.sin(elevation) * ahead - np.cos(elevation) * np.array([0, 0, 1])
    np.testing.assert_allclose(seen, space @ np.stack([right, down], axis=1), atol=1e-3)
    assert np.linalg.norm(space, axis=1).max() <= table.radius
    assert sum(stroke.kind == "robot" for stroke in table.strokes) >= len(scara.joints)
