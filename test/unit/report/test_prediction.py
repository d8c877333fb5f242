"""A prediction on a terminal, as JSON, as a picture and as a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from rich.console import Console
from support.small_robot import ROBOT, URDF

from dynid.excitation.build import build_excitation
from dynid.excitation.prediction.advice import worst_first
from dynid.excitation.prediction.prediction import predict
from dynid.excitation.settings import find_excitation
from dynid.json_text import json_text
from dynid.playback.plan import make_plan
from dynid.profile import load_robot, make_robot
from dynid.report.prediction import write_prediction_report
from dynid.report.prediction_picture import (
    draw_joints,
    draw_standard_deviations,
    draw_use,
    prediction_scene,
    write_picture,
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


class Page(HTMLParser):
    """Tags and texts; complains of a tag that is not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


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


def test_curves_have_labels_and_units_for_revolute_and_prismatic_joints(scara):
    drawing = Figure()
    draw_joints(drawing, scara)
    labels = [axes.get_ylabel() for axes in drawing.axes]
    assert labels[0] == "joint_1\n[rad]"
    assert labels[8:12] == ["joint_3\n[m]", "[m/s]", "[m/s²]", "[N]"]
    assert labels[13:] == ["[rad/s]", "[rad/s²]", "[N·m]"]
    assert {axes.get_xlabel() for axes in drawing.axes[-4:]} == {"time [s]"}


def test_a_limit_is_a_line_where_it_is_near_and_a_number_where_it_is_far(duo):
    drawing = Figure()
    draw_joints(drawing, duo)
    for axes, name in zip(
        drawing.axes[:4], ("position", "velocity", "acceleration", ""), strict=True
    ):
        limits = duo.limits.range_of(name or "torque_max", 0)
        lines = {float(line.get_ydata()[0]) for line in axes.lines[1:]}
        texts = [text.get_text() for text in axes.texts]
        assert lines <= set(limits)
        assert texts == ([] if lines else [f"limits ± {limits[1]:#.3g}"])


def test_bars_show_the_parameters_with_a_known_value(duo):
    axes = Figure().subplots()
    draw_standard_deviations(axes, duo)
    known = [one for one in duo.parameters if one.known]
    assert [text.get_text() for text in axes.get_xticklabels()] == [one.name for one in known]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx([100 * one.relative for one in known])


def test_without_known_values_a_sentence_replaces_the_bars(duo):
    unknown = replace(duo, parameters=tuple(replace(one, value=0.0) for one in duo.parameters))
    axes = Figure().subplots()
    draw_standard_deviations(axes, unknown)
    assert [text.get_text() for text in axes.texts] == ["no value is known"]


def test_without_limits_no_use_of_them_is_drawn(duo):
    free = replace(duo, torques=tuple(replace(one, share=None) for one in duo.torques))
    axes = Figure().subplots()
    draw_use(axes, free)
    torque = next(line for line in axes.lines if line.get_label() == "torque")
    assert np.isnan(torque.get_xdata()).all()


def test_a_page_shows_every_joint_and_parameter(duo, page):
    parsed = Page(page)
    for name in (*duo.joints, *(one.name for one in duo.parameters)):
        assert any(name in text for text in parsed.texts), name
    assert "Infinity" not in page
    assert "nan" not in re.findall(r"[a-z]+", page)


def test_the_figures_of_a_page_are_charts_with_names_and_units(scara, tmp_path):
    write_prediction_report(scara, tmp_path / "page.html")
    parsed = Page((tmp_path / "page.html").read_text("utf-8"))
    described = [attributes.get("aria-label") for _, attributes in parsed.tags]
    for joint in scara.joints:
        assert f"Acceleration of {joint} over time" in described
        assert f"{joint}: torque" in parsed.texts
        assert joint in parsed.texts  # below its bars
    units = ("[rad]", "[m]", "[rad/s²]", "[N·m]", "[N]")
    assert all(any(text.startswith(unit) for text in parsed.texts) for unit in units)
    assert "row of the table of all base parameters" in parsed.texts


def test_without_known_values_a_page_has_a_sentence_in_place_of_bars(duo, tmp_path):
    unknown = replace(duo, parameters=tuple(replace(one, value=0.0) for one in duo.parameters))
    write_prediction_report(unknown, tmp_path / "page.html")
    assert "No value is known." in (tmp_path / "page.html").read_text("utf-8")


def test_a_page_has_no_external_resources(page):
    parsed = Page(page)
    assert "http:" not in page
    assert "https:" not in page
    loading = {"link", "img", "iframe", "object", "embed", "image", "base"}
    assert not loading & {tag for tag, _ in parsed.tags}
    for _, attributes in parsed.tags:
        assert attributes.get("href", "#").startswith("#")
        assert "src" not in attributes
    (policy,) = (a["content"] for tag, a in parsed.tags if tag == "meta" and "http-equiv" in a)
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
