"""Collision thresholds as a parameter file of the controller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from dynid_docs.parameter_tables import controller_parameters

from dynid.control.collisions import threshold_text, with_thresholds, write_thresholds
from dynid.control.ros2_control import FEEDFORWARD
from dynid.errors import ConfigurationError, WriteError
from dynid.profile import load_robot
from dynid.robot.torque_settings import CollisionSettings

PUMA = load_robot("puma560")
_TYPES = {"double_array": list, "double": float}


def parameters(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(text)[f"/{FEEDFORWARD}"]["ros__parameters"]
    return content


def declared() -> dict[str, Any]:
    content: dict[str, Any] = controller_parameters(FEEDFORWARD)["collision"]
    return content


def test_the_controller_accepts_every_parameter_while_it_runs() -> None:
    written = parameters(threshold_text(PUMA, []))
    assert list(written) == ["collision"]
    for name, value in written["collision"].items():
        assert not declared()[name].get("read_only", False), name
        assert isinstance(value, _TYPES[declared()[name]["type"]]), name
        assert all(isinstance(one, float) for one in (value if isinstance(value, list) else []))


def test_all_parameters_of_torque_error_detection_are_in_the_file() -> None:
    others = {"torque_error_enable", "warn_fraction", "torque_threshold", "reaction"}
    changeable = {name for name, one in declared().items() if not one.get("read_only", False)}
    assert set(parameters(threshold_text(PUMA, []))["collision"]) == changeable - others


def test_settings_are_read_back_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "collision.yaml"
    write_thresholds(PUMA, ["Made by hand."], path)
    bare = load_robot("puma560", overrides=["collision={torque_error_max: 1}"])
    read = with_thresholds(bare, path).settings(CollisionSettings)
    given = PUMA.settings(CollisionSettings)
    assert read.torque_error_max == given.torque_error_max
    assert read.reversal_boost == given.reversal_boost
    assert set(read.torque_error_time_constant) == set(given.torque_error_time_constant)
    assert (read.boost_time, read.debounce_time) == (given.boost_time, given.debounce_time)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("collision: {torque_error_max: [1]}", "expected one node's name"),
        ("/**: {ros__parameters: {payload: {mass: 1.0}}}", "has no parameter 'collision.torque_e"),
        (
            "/**: {ros__parameters: {collision: {torque_error_max: [1.0, 2.0]}}}",
            "'torque_error_max' has 2 values, expected 1 or 6",
        ),
        (
            "/**: {ros__parameters: {collision: {torque_error_max: [1.0], debounce: 3}}}",
            "in place of debounce: 3 write debounce_time: 0.003",
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        with_thresholds(PUMA, path)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_thresholds(PUMA, [], tmp_path / "missing" / "collision.yaml")
    assert list(tmp_path.iterdir()) == []
