"""``dynid doctor``: what dynid can do on this machine, and what would let it do the rest."""

from __future__ import annotations

import os
import platform
import resource
import sys
import webbrowser
from collections.abc import Iterator
from importlib import machinery
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from dynid import __version__
from dynid.cli.options import AsJson
from dynid.requirements import (
    installed_version,
    package_name,
    pip_install,
    requirements,
    unmet_requirements,
)

_ROS_GUIDE = "see docs/ros2.md, Installation"
_NVIDIA = Path("/proc/driver/nvidia/gpus")
ROS_WHEELS = (
    sys.platform == "linux" and platform.machine() == "x86_64" and sys.version_info < (3, 15)
)
"""Whether PyPI has rclpy for this Python: the markers of the extra ``ros``."""
_EXTRAS = {
    "lerobot": "LeRobot data sets, which are Parquet files",
    "protobuf": "recordings whose messages are in Protobuf (MCAP)",
    "view": "3-D pictures in a browser (dynid view)",
    "fleet": "many robots at once (dynid fleet)",
    "simulators": "export to MuJoCo and USD (dynid model export)",
    "bench": "comparison with other tools (dynid bench)",
    "drake": "Drake's own check of exported SDF and URDF",
}
"""What users' extras of setup.cfg are for; the others are for developers."""


class Ability(NamedTuple):
    """Something that dynid can do where what it needs is there.

    Attributes:
        name: what it needs.
        purpose: what it is for.
        found: what is there; "" if it is missing.
        remedy: how to get it.
    """

    name: str
    purpose: str
    found: str
    remedy: str


def doctor_command(as_json: AsJson = False) -> None:
    """Say what dynid can do on this machine, and how to get the rest.

    Nothing is started, and nothing is changed.
    """
    from dynid.report.terminal.console import print_json, print_text, result_console

    abilities = list(_abilities())
    if as_json:
        print_json({"abilities": [one._asdict() for one in abilities]})
        return
    console = result_console(as_json)
    for heading, present in (("Here:", True), ("Not here:", False)):
        listed = [one for one in abilities if bool(one.found) == present]
        if listed:
            print_text(console, heading)
        for one in listed:
            what = one.found if present else one.remedy
            print_text(console, f"{one.name}, for {one.purpose}: {what}", first="  - ")


def _abilities() -> Iterator[Ability]:
    python = f"Python {platform.python_version()}, {platform.system()} on {platform.machine()}"
    unmet = unmet_requirements()
    found = "" if unmet else f"{__version__}, {python}"
    remedy = f"{pip_install(unmet)}; in a workspace {_ROS_GUIDE}"
    yield Ability("dynid", "identification and reports", found, remedy if unmet else "")
    yield from _ros()
    yield _cycles()
    yield _graphics()
    no_browser = "open the address or the file that dynid prints in a browser, here or elsewhere"
    yield Ability("browser", "dynid start, and reports", _browser(), no_browser)
    for extra, purpose in _EXTRAS.items():
        yield _extra(extra, purpose)


def _extra(extra: str, purpose: str) -> Ability:
    needed = requirements(extra)
    versions = {package_name(one): installed_version(package_name(one)) for one in needed}
    absent = [one for one in needed if not versions[package_name(one)]]
    here = "" if absent else ", ".join(f"{name} {one}" for name, one in versions.items())
    lacking = f" (missing: {', '.join(map(package_name, absent))})" if absent else ""
    remedy = f"pip install 'dynid[{extra}]'{lacking}"
    if absent and _in_workspace():  # pip would install another dynid beside that of the workspace
        remedy = pip_install(absent)
    return Ability(f"dynid[{extra}]", purpose, here, remedy)


def _ros() -> Iterator[Ability]:
    yield _rclpy()
    actions = "build the workspace with colcon, or pip install ./interfaces"
    purpose = "actions and typed messages of the nodes"
    yield Ability("dynid_interfaces", purpose, _module("dynid_interfaces.msg"), actions)
    distribution = os.environ.get("ROS_DISTRO", "DISTRIBUTION")
    for name, purpose in (
        ("ros2launch", "launch files"),
        ("controller_manager", "robots under ros2_control"),
        ("joint_trajectory_controller", "motion under ros2_control"),
        ("rviz2", "view.launch.py"),
    ):
        package = f"ros-{distribution}-{name.replace('_', '-')}"
        yield Ability(name, purpose, _package(name), f"apt install {package}; {_ROS_GUIDE}")
    driver = "build github.com/ICube-Robotics/ethercat_driver_ros2 in the workspace"
    yield Ability("ethercat_driver", "drives on EtherCAT", _package("ethercat_driver"), driver)
    plugin = "build this repository with colcon where controller_manager is installed"
    yield Ability(
        "feedforward_controller",
        "the model in the controller",
        _plugin(),
        f"{plugin}; {_ROS_GUIDE}",
    )


def _rclpy() -> Ability:
    """Return whether nodes run: rclpy is there, and compiled for this Python."""
    where = _module("rclpy")
    compiled = [Path(where, f"_rclpy_pybind11{end}") for end in machinery.EXTENSION_SUFFIXES]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    remedy = "source /opt/ros/DISTRIBUTION/setup.bash"
    if ROS_WHEELS:
        remedy += ", or pip install 'dynid[ros]'"
    if where and not any(one.is_file() for one in compiled):
        remedy = f"that in {where} is not compiled for Python {version}: run dynid in that Python"
        where = ""
    sourced = any(Path(where).is_relative_to(one) for one in _prefixes())
    distribution = os.environ.get("ROS_DISTRO", "sourced") if sourced else "wheels of PyPI"
    return Ability("ROS 2", "the nodes", where and f"{distribution}, {where}", remedy)


def _cycles() -> Ability:
    priority = resource.getrlimit(resource.RLIMIT_RTPRIO)[0]
    # its own file, /sys/kernel/realtime, is that of patched kernels alone
    real_time = "PREEMPT_RT" in platform.version().replace(" ", "_")
    processors = f"{os.cpu_count()} processors"
    found = f"{processors}, priorities up to {priority}" if real_time and priority else ""
    lacking = "no real-time priorities (rtprio in /etc/security/limits.conf)"
    if not real_time:
        lacking = "the kernel is not a real-time one"
    return Ability(
        "real-time kernel",
        "cycles on time at 1 kHz",
        found,
        f"{processors}, {lacking}; docs/ros2.md says which update_rate is possible without",
    )


def _graphics() -> Ability:
    """Return the graphics processors that NVIDIA's driver lists."""
    lines = [
        line.partition(":")[2].strip()
        for one in sorted(_NVIDIA.glob("*/information"))
        for line in one.read_text("utf-8", "replace").splitlines()
        if line.startswith("Model:")
    ]
    purpose = "training in Isaac Lab and mjlab, with models that dynid exports"
    return Ability("NVIDIA GPU", purpose, ", ".join(lines), "optional: dynid itself uses none")


def _module(name: str) -> str:
    """Return the folder of a Python module that could be imported, or ""."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # of the package that it is in
        return ""
    return "" if spec is None or spec.origin is None else str(Path(spec.origin).parent)


def _package(name: str) -> str:
    """Return the prefix in which a ROS package is installed, or ""."""
    return next((str(one) for one in _prefixes() if (one / "share" / name).is_dir()), "")


def _plugin() -> str:
    """Return the prefix in which dynid's controller is registered for pluginlib, or ""."""
    index = Path("share/ament_index/resource_index/controller_interface__pluginlib__plugin/dynid")
    return next((str(one) for one in _prefixes() if (one / index).is_file()), "")


def _in_workspace() -> bool:
    """Return whether this dynid was built by colcon."""
    return any(Path(__file__).is_relative_to(one) for one in _prefixes())


def _prefixes() -> list[Path]:
    from dynid.packages import PREFIXES

    return [Path(one) for one in os.environ.get(PREFIXES, "").split(os.pathsep) if one]


def _browser() -> str:
    try:
        return webbrowser.get().name
    except (webbrowser.Error, AttributeError):
        return ""
