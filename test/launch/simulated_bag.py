"""A recording of a simulated robot, and a model of it, made without ROS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_profile
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.robot.model_file import write_model
from dynid.simulation.simulate import simulate

if TYPE_CHECKING:
    from pathlib import Path


def _record(excitation: Path | None, robot: str = "puma560") -> Recording:
    profile, urdf_xml = load_profile(robot)
    plan = make_plan(profile, urdf_xml, excitation=excitation)
    return simulate(profile, urdf_xml, plan.excitation)


def write_simulated_bag(path: Path, excitation: Path) -> Path:
    write_bag(_record(excitation), path)
    return path


def write_simulated_model(path: Path, excitation: Path | None, robot: str = "puma560") -> Path:
    """Without an excitation, the robot's own is simulated."""
    write_model(identify(*load_profile(robot), [_record(excitation, robot)]), path)
    return path
