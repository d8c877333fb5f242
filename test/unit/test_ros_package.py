"""package.xml and ros-requirements.txt name everything that CMake, launch files and Python use."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OPTIONAL = {
    "ethercat_driver",  # the launch test of EtherCAT is left out without these
    "fake_ethercat_bus",
    "inverse_dynamics_solver",  # its plugin is left out
}
NOT_ROS = {"Boost", "GTest", "Python3", "Threads", "dynid", "Eigen3", "pybind11"}
FROM_APT = {"pin": "pinocchio", "PyYAML": "python3-yaml", "xacro": "xacro"}


def _declared() -> set[str]:
    text = (ROOT / "package.xml").read_text("utf-8")
    return set(re.findall(r"<\w*depend>([^<]+)</", text))


def _requirements(text: str) -> dict[str, str]:
    lines = (line.strip() for line in text.splitlines() if line.strip() and line[0] != "#")
    return {line.split()[0]: line for line in lines}


def _installed() -> dict[str, str]:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return _requirements(setup["options"]["install_requires"])


def test_every_package_that_cmake_finds_is_declared() -> None:
    found = set()
    for file in (*ROOT.glob("cmake/*.cmake"), *ROOT.glob("*/**/CMakeLists.txt")):
        if not {"build", ".venv"} & set(file.relative_to(ROOT).parts):
            text = file.read_text("utf-8")
            found |= set(re.findall(r"find_package\((\w+)", text))
            for names in re.findall(r"foreach\(\s*package\s+([\w\s]+)\)", text):
                found |= set(names.split())
    assert "controller_interface" in found
    assert found - {"dynid_plugins", "dynid_ros"} - NOT_ROS - OPTIONAL - _declared() == set()


@pytest.mark.parametrize("folder", ["cpp/ros2_control", "test/cpp/ros2_control"])
def test_every_header_of_the_plugins_is_of_a_declared_package(folder: str) -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / folder).glob("*.?pp"))
    packages = set(re.findall(r"#include <(\w+)/", code))
    assert "hardware_interface" in packages
    assert packages - {"Eigen", "dynid", "gtest"} - _declared() == set()


@pytest.mark.parametrize("folder", ["launch", "dynid_ros", "test/launch", "test/nodes"])
def test_every_ros_module_that_python_imports_is_declared(folder: str) -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / folder).rglob("*.py"))
    modules = set(re.findall(r"^\s*(?:from|import) (\w+)", code, re.MULTILINE))
    modules |= set(re.findall(r'import_module\("(\w+)', code))
    kinds = re.compile(r"rclpy|launch\w*|ament_\w+|\w+_(msgs|srvs|interfaces)")
    ros = {name for name in modules if kinds.fullmatch(name)}
    assert ros - {"launched", "dynid_interfaces"} - _declared() == set()


def test_every_python_dependency_comes_from_apt_or_is_in_the_requirements() -> None:
    needed = _requirements((ROOT / "ros-requirements.txt").read_text("utf-8"))
    for name in _installed():
        assert name in needed or FROM_APT.get(name, f"python3-{name}") in _declared()


def test_the_requirements_have_the_versions_of_a_pip_install() -> None:
    needed = _requirements((ROOT / "ros-requirements.txt").read_text("utf-8"))
    assert needed
    for name, line in needed.items():
        assert line == _installed()[name]
