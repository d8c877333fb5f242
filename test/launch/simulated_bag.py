"""A simulated robot: its profile, a recording and a model of it, made without ROS."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import yaml

from dynid.files import share_directories
from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate

if TYPE_CHECKING:
    from pathlib import Path


def _record(excitation: Path | None, robot: Robot) -> Recording:
    plan = make_plan(robot, excitation=excitation)
    return simulate(robot, plan.excitation)


def write_simulated_bag(path: Path, excitation: Path) -> Path:
    write_bag(_record(excitation, load_robot("puma560")), path)
    return path


def write_puma(path: Path, **groups: dict[str, object]) -> None:
    """Write the profile of puma560 with other keys in its groups, and its URDF beside it."""
    shipped = share_directories()[0]
    profile = yaml.safe_load((shipped / "config" / "robots" / "puma560.yaml").read_text())
    changed = {name: profile.get(name, {}) | keys for name, keys in groups.items()}
    path.write_text(yaml.safe_dump(profile | changed))
    shutil.copy(shipped / "urdf" / "puma560.urdf", path.parent)


def write_simulated_model(path: Path, excitation: Path | None, name: str = "puma560") -> Path:
    """Without an excitation, the robot's own is simulated."""
    robot = load_robot(name)
    identify(robot, _record(excitation, robot)).model.save(path)
    return path
