"""Layouts of PlotJuggler and Foxglove: everything that they plot exists."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from dynid.identification.signals_file import write_signals
from dynid.profile import load_robot

LAYOUTS = Path(__file__).parents[2] / "config" / "layouts"
TYPES = get_typestore(Stores.ROS2_JAZZY)
ROBOT = "puma560"
"""Its joints have the names that the layouts of PlotJuggler use."""


def plotted_by_foxglove(name: str) -> list[tuple[str, str, int]]:
    """Topic, field and number of every curve."""
    panels = json.loads((LAYOUTS / f"foxglove_{name}.json").read_text())["configById"]
    paths = [path["value"] for panel in panels.values() for path in panel.get("paths", [])]
    parts = [re.fullmatch(r"(/[\w/]+)\.(\w+)\[(\d+)\]", path).groups() for path in paths]
    return [(topic, field, int(number)) for topic, field, number in parts]


def plotted_by_plotjuggler(name: str) -> list[str]:
    """Names of the curves: topic, name in the message, and field of JointState."""
    root = ET.parse(LAYOUTS / f"plotjuggler_{name}.xml").getroot()  # noqa: S314  our own file
    return [curve.attrib["name"] for curve in root.iter("curve")]


@pytest.fixture(scope="module")
def messages(identification, tmp_path_factory):
    """The first message of each topic of a signals.mcap, with the joints of the robot."""
    joints = load_robot(ROBOT).joints

    def doubled(values):
        return np.hstack([values, values])

    signals = identification.signals[0]
    arrays = ("position", "velocity", "acceleration", "torque", "raw_position", "raw_torque")
    signals = replace(
        signals,
        joint_names=joints,
        **{name: doubled(getattr(signals, name)) for name in arrays},
    )
    path = tmp_path_factory.mktemp("layouts") / "signals.mcap"
    result = replace(
        identification,
        signals=(signals,),
        measured_torque=(doubled(identification.measured_torque[0]),),
        model_torque=(doubled(identification.model_torque[0]),),
    )
    write_signals(result, path)
    found = {}
    with Reader(path) as reader:
        for connection, _, raw in reader.messages():
            if connection.topic not in found:
                found[connection.topic] = TYPES.deserialize_cdr(raw, connection.msgtype)
    return found


def test_foxglove_plots_what_signals_mcap_has(messages):
    curves = plotted_by_foxglove("signals")
    assert {topic for topic, _, _ in curves} == set(messages)
    for topic, field, number in curves:
        assert number < len(getattr(messages[topic], field))


def test_plotjuggler_plots_what_signals_mcap_has(messages):
    there = {
        f"{topic}/{name}/{field}"
        for topic, message in messages.items()
        for name in message.name
        for field in ("position", "velocity", "effort")
        if len(getattr(message, field))
    }
    curves = plotted_by_plotjuggler("signals")
    assert set(curves) <= there
    assert {curve.rsplit("/", 2)[0] for curve in curves} == set(messages)


def test_the_live_layouts_plot_rows_of_the_controllers_state():
    name = "dynid_ros.feedforward_topics"
    quantities = pytest.importorskip(name, reason="ROS 2: pip install 'dynid[ros]'").QUANTITIES
    joints = load_robot(ROBOT).joints
    rows = [f"{joint}/{quantity}" for quantity in quantities for joint in joints]
    moving = len(joints) * 2  # position and velocity exist for reference and feedback only
    topic, fields = "/feedforward_controller/state", ("position", "velocity", "effort")
    there = {
        (topic, field, number)
        for field in fields
        for number in range(len(rows) if field == "effort" else moving)
    }
    curves = plotted_by_foxglove("live")
    assert set(curves) <= there
    # both programs plot the same, one by number and one by name
    names = {f"{topic}/{rows[number]}/{field}" for topic, field, number in curves}
    assert set(plotted_by_plotjuggler("live")) == names
