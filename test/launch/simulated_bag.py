"""A recording of the simulated PUMA 560, and a model of it, made without ROS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.identification import identify
from dynid.outputs.model_file import write_model
from dynid.playback.plan import make_plan
from dynid.profile import load_profile
from dynid.recording import Recording, write_bag
from dynid.simulation import simulate

if TYPE_CHECKING:
    from pathlib import Path


def _record(excitation: Path) -> Recording:
    profile, urdf_xml = load_profile("puma560")
    plan = make_plan(profile, urdf_xml, excitation=excitation)
    return simulate(profile, urdf_xml, plan.excitation)


def write_simulated_bag(path: Path, excitation: Path) -> Path:
    write_bag(_record(excitation), path)
    return path


def write_simulated_model(path: Path, excitation: Path) -> Path:
    write_model(identify(*load_profile("puma560"), [_record(excitation)]), path)
    return path
