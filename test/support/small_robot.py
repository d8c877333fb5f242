"""A robot of two joints with drives, for tests that play, record and identify within seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.simulate import simulate

if TYPE_CHECKING:
    from pathlib import Path

JOINTS = ("shoulder", "elbow")
HOME = (0.1, -0.2)
ACCELERATION = (20.0, 25.0)
DELAY = 3  # control cycles from a target to a state that shows it

URDF = """
<robot name="duo">
  <link name="base"/>
  <link name="upper"><inertial><mass value="3.0"/><origin xyz="0.15 0.02 0"/>
    <inertia ixx="0.02" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="1.5"/><origin xyz="0.1 -0.01 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="4" effort="60"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.3 0 0.05"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="5" effort="30"/></joint>
</robot>
"""

ROBOT = {
    "robot": "duo",
    "urdf": "duo.urdf",
    "joints": list(JOINTS),
    "limits": {
        "position": [[-2.0, 2.0], [-2.0, 2.0]],
        "velocity": [4.0, 5.0],
        "acceleration": list(ACCELERATION),
        "torque_max": [60.0, 30.0],
    },
    "terms": [{"kind": kind} for kind in ("viscous", "coulomb", "offset", "rotor_inertia")],
    "identification": {"cutoff_hz": 15, "parallel_filter": {"cutoff_hz": 15, "decimation": 20}},
    "excitation": {
        "base_frequency": 0.5,
        "harmonics": 4,
        "periods": 2,
        "ramp": 0.5,
        "margin": 0.7,
        "seed": 3,
    },
    "simulation": {
        "parameters": {"Fv1": 1.5, "Fv2": 0.8, "Fc1": 2.0, "Fc2": 1.0, "Ia1": 0.3, "Ia2": 0.1},
        "bandwidth_hz": 16,
        "torque_noise": [0.2, 0.1],
        "home": list(HOME),
    },
}


def write_small_robot(folder: Path, **changes: object) -> Path:
    """Its profile's file; a group of the profile is replaced, or omitted if None."""
    (folder / "duo.urdf").write_text(URDF)
    content = {name: group for name, group in (ROBOT | changes).items() if group is not None}
    path = folder / "duo.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def write_its_model(folder: Path) -> Path:
    """The model identified from the simulated robot; its profile is written, too."""
    robot = load_robot(write_small_robot(folder))
    identify(robot, simulate(robot, make_plan(robot).excitation)).model.save(folder / "model.yaml")
    return folder / "model.yaml"
