"""Packages and plugins are found in every prefix, as ROS 2 finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynid.control.ros2_hardware import check_hardware, installed, uses_ros2_control
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


def test_packages_are_found_in_any_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "second" / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "rviz2").touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    assert installed("rviz2")
    assert not installed("rviz")
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    assert not installed("rviz2")


def test_ros2_control_runs_the_robot_if_completely_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    for package in ("controller_manager", "robot_state_publisher", "joint_state_broadcaster"):
        (index / package).touch()
    assert not uses_ros2_control("auto")
    with pytest.raises(ConfigurationError, match="true needs joint_trajectory_controller, which"):
        uses_ros2_control("true")
    (index / "joint_trajectory_controller").touch()
    assert [uses_ros2_control(wanted) for wanted in ("auto", "true", "false")] == [
        True,
        True,
        False,
    ]


def described(*plugins: str) -> str:
    tags = (
        f"<ros2_control><hardware><plugin> {plugin} </plugin></hardware></ros2_control>"
        for plugin in plugins
    )
    return f"<robot name='arm'>{''.join(tags)}</robot>"


def write_plugin(prefix: Path, name: str, declared: str) -> None:
    index = prefix / "share" / "ament_index" / "resource_index"
    file = f"share/{name}/plugins.xml"
    (prefix / "share" / name).mkdir(parents=True)
    (prefix / file).write_text(declared)
    resources = index / "hardware_interface__pluginlib__plugin"
    resources.mkdir(parents=True, exist_ok=True)
    (resources / name).write_text(f"{file}\n")


def test_a_hardware_plugin_that_is_not_installed_is_named_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_plugin(first, "arm", "<library><class name='arm/Drives' type='x::Drives'/></library>")
    nameless = "<library><class type='bus::Bus'/></library>"
    write_plugin(second, "bus", f"<class_libraries>{nameless}</class_libraries>")
    write_plugin(second, "broken", "<library")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{first}:{second}:{tmp_path / 'gone'}")
    check_hardware(described("arm/Drives", "bus::Bus"))
    check_hardware(described())
    with pytest.raises(ConfigurationError, match="the hardware plugin arm/Drive, can/Bus is in no"):
        check_hardware(described("can/Bus", "arm/Drives", "arm/Drive"))
