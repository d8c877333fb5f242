"""Readers of files of simulators, with the good files that are mutated."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.simulator_models import USERS_MJCF, USERS_SDF, model_with_terms, random_motion

from dynid.profile import load_robot
from dynid.robot.description import described_nominal
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.exported_model import ExportedModel, exported_model
from dynid_plugins.simulators.formats import FORMATS
from dynid_plugins.simulators.placed_bodies import joint_names

Numbers = Iterator[object]

_WITHOUT_MESHES = """<mujoco model="bare">
  <compiler meshdir="meshes" texturedir="."/>
  <asset><mesh name="arm" file="arm.stl" scale="0.001 0.001 0.001"/><mesh file="hand.obj"/>
    <texture name="skin" type="2d" file="skin.png"/><material name="skin" texture="skin"/>
    <hfield name="ground" file="ground.png" size="1 1 1 1"/></asset>
  <worldbody><geom type="hfield" hfield="ground"/><body name="upper">
    <joint name="shoulder" axis="0 1 0" range="-90 90"/>
    <inertial pos="0 0 0.1" mass="2" diaginertia="0.01 0.02 0.02"/>
    <geom type="mesh" mesh="arm" material="skin"/>
    <body name="lower" pos="0 0 0.3"><joint name="elbow" axis="0 1 0"/>
      <geom type="mesh" mesh="hand" mass="0"/><geom size="0.05"/></body>
  </body></worldbody></mujoco>
"""


def put_simulators(folder: Path) -> None:
    """Write good files for the readers of this module into a folder for each."""
    model = model_with_terms()
    usd = export_along(model, "usd", random_motion(model)).text
    for name, file, content in (
        ("mjcf", "mine.xml", USERS_MJCF),
        ("mjcf", "bare.xml", _WITHOUT_MESHES),
        ("simulator", "mine.mjcf", USERS_MJCF),
        ("simulator", "mine.sdf", USERS_SDF),
        ("simulator", "mine.urdf", model.robot.urdf_xml),
        ("usd", "mine.usda", usd),
    ):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / file).write_text(content)


def read_mjcf(path: Path, _: Path) -> Numbers:
    """Load the robot of an MJCF."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield load_robot(path).mechanism().urdf_parameters
        nominal = described_nominal(path)
    if nominal is not None:
        yield nominal.gravity


@cache
def _exported(to: str) -> ExportedModel:
    model = model_with_terms()
    return exported_model(model, FORMATS[to].terms, random_motion(model))


def read_simulator(path: Path, _: Path) -> Numbers:
    """Write a model into a user's file of a simulator."""
    to = "usd" if path.suffix == ".usda" else path.suffix[1:]
    form, exported = FORMATS[to], _exported(to)
    joints = exported.mechanism.joints
    text = form.read(path)
    there = form.joints(text, path)
    names = joint_names(joints, there, {}, str(path))
    written, alignment = form.update(text, path, exported, names)
    assert written
    yield from (alignment.distance, alignment.angle, alignment.root)
