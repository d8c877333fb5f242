"""``dynid doctor``: what is here, what is not, and how to get it."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import dynid
from dynid.cli import doctor
from dynid.cli.doctor import doctor_command
from dynid.requirements import requirements

PLUGIN = "share/ament_index/resource_index/controller_interface__pluginlib__plugin"


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Hide that a package is installed."""
    version = metadata.version

    def shown(name: str) -> str:
        if name == package:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", shown)


def abilities(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    doctor_command(as_json=True)
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["abilities"]}


def test_packages_are_found_in_the_sourced_workspaces_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "share" / "controller_manager").mkdir(parents=True)
    (tmp_path / PLUGIN).mkdir(parents=True)
    (tmp_path / PLUGIN / "dynid").touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}:/nowhere")
    found = abilities(capsys)
    assert found["controller_manager"]["found"] == str(tmp_path)
    assert found["feedforward_controller"]["found"] == str(tmp_path)
    assert found["ethercat_driver"]["found"] == ""
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    assert abilities(capsys)["controller_manager"]["found"] == ""


def test_an_extra_without_one_of_its_libraries_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "fsspec")
    found = abilities(capsys)
    assert found["dynid[fleet]"]["found"] == ""
    assert found["dynid[fleet]"]["remedy"] == "pip install 'dynid[fleet]' (missing: fsspec)"
    assert found["dynid[lerobot]"]["found"].startswith("pyarrow ")


def test_what_is_missing_is_listed_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    doctor_command()
    here, missing = capsys.readouterr().out.split("Not here:")
    assert "dynid, for identification and reports: " in here
    assert "controller_manager, for robots under ros2_control: apt install ros-" in missing


def test_every_extra_that_it_lists_is_one_of_dynid() -> None:
    assert all(requirements(extra) for extra in doctor._EXTRAS)


def test_a_workspace_gets_the_libraries_of_an_extra_and_no_second_dynid(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "fsspec")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(Path(doctor.__file__).parents[2]))
    remedy = abilities(capsys)["dynid[fleet]"]["remedy"]
    assert remedy.startswith("pip install 'fsspec>=")
    assert "dynid" not in remedy


def test_a_library_that_dynid_itself_needs_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert abilities(capsys)["dynid"]["found"].startswith(dynid.__version__)
    without(monkeypatch, "clarabel")
    missing = abilities(capsys)["dynid"]
    assert missing["found"] == ""
    assert missing["remedy"].startswith("pip install 'clarabel<")


def test_rclpy_of_another_python_is_no_ros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_module", lambda name: str(tmp_path))
    compiled = tmp_path / "_rclpy_pybind11.cpython-27-x86_64-linux-gnu.so"
    compiled.touch()
    ros = abilities(capsys)["ROS 2"]
    assert ros["found"] == ""
    assert f"{tmp_path} is not compiled for Python {sys.version_info.major}." in ros["remedy"]
    compiled.rename(tmp_path / f"_rclpy_pybind11{EXTENSION_SUFFIXES[0]}")
    assert abilities(capsys)["ROS 2"]["found"] == f"wheels of PyPI, {tmp_path}"
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path.parent))
    monkeypatch.setenv("ROS_DISTRO", "kilted")
    assert abilities(capsys)["ROS 2"]["found"] == f"kilted, {tmp_path}"
    assert "ros-kilted-controller-manager" in abilities(capsys)["controller_manager"]["remedy"]


def test_the_wheels_of_ros_are_offered_where_the_extra_installs_any() -> None:
    (marker,) = {
        line.partition(";")[2].strip()
        for line in metadata.requires("dynid") or ()
        if line.startswith("ros-jazzy-rclpy")
    }
    packaging = pytest.importorskip("packaging.markers")
    assert packaging.Marker(marker).evaluate({"extra": "ros"}) == doctor.ROS_WHEELS


@pytest.mark.parametrize(
    ("version", "real_time"),
    [
        ("#1 SMP PREEMPT_RT Debian 6.12.48-1 (2025-09-20)", True),
        ("#1 SMP PREEMPT RT Debian 4.19.118", True),
        ("#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1 (2025-09-20)", False),
    ],
)
def test_a_real_time_kernel_is_known_by_its_version(
    version: str,
    real_time: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor.platform, "version", lambda: version)
    monkeypatch.setattr(doctor.resource, "getrlimit", lambda _: (99, 99))
    assert bool(abilities(capsys)["real-time kernel"]["found"]) is real_time


def test_graphics_processors_are_those_of_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_NVIDIA", tmp_path)
    assert abilities(capsys)["NVIDIA GPU"]["found"] == ""
    (tmp_path / "0000:01:00.0").mkdir()
    (tmp_path / "0000:01:00.0/information").write_text("Model: \t\t NVIDIA L4\nIRQ: 5\n", "utf-8")
    assert abilities(capsys)["NVIDIA GPU"]["found"] == "NVIDIA L4"


def test_a_source_tree_that_is_not_installed_has_no_extras(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", nothing)
    assert abilities(capsys)["dynid[fleet]"]["found"] == ""
