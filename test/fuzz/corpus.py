"""Good files as seeds, from a small simulated robot."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from support.esi_files import esi
from support.payload_file import PAYLOAD
from support.small_robot import JOINTS, ROBOT, URDF, write_small_robot

from dynid.control.collisions import threshold_text
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty, uncertainty_text
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import Drives
from dynid.robot.robot import Robot
from dynid.robot.slave_files import slave_files
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.simulate import simulate
from fuzz.command_targets import put_commands
from fuzz.description_targets import put_descriptions
from fuzz.fleet_targets import put_fleet
from fuzz.simulator_targets import put_simulators
from fuzz.table_targets import put_tables

SAMPLES = 60  # of recordings: enough for an even grid, few enough for many cases

_SHAPES = """<visual><origin xyz="0 0 0.1" rpy="0.1 0 0"/>
 <geometry><box size="0.1 0.2 0.3"/></geometry>
 <material name="m"><color rgba="1 0 0 1"/></material></visual>
 <collision><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>
 <collision><geometry><mesh filename="part.stl" scale="1 1 1"/></geometry></collision>"""
_FULL = {
    "coupling": [[1, 0], [0.25, 1]],
    "gravity": [0, 0, -9.81],
    "payload_joint": "elbow",
    "drives": {
        "effort": "rated_current_permille",
        "rated_current_ma": [3000, 2000],
        "peak_current_ma": [9000, 6000],
        "torque_constant": [0.3, 0.2],
        "gear_ratio": [100, -50],
        "encoder_counts": 65536,
    },
    "recording": {"topic": "/joint_states", "sampling_rate": 200},
    "workspace": {"self_collision": False},
    "feedforward": {"gain": 1.0},
    "quantities": {"sum": {"of": "M1 + M2", "unit": "kg", "meaning": "mass"}},
}
_EXCITATIONS = {
    "fourier": {
        "base_frequency": 0.5,
        "harmonics": 3,
        "periods": 1,
        "ramp": 0.5,
        "span": [0.5, 0.4],
    },
    "given": {
        "type": "fourier",
        "harmonics": 2,
        "base_frequency": 0.25,
        "sine": [[0.1, 0.2], [0.1, -0.1]],
        "cosine": [[0.1, 0.0], [0.0, 0.1]],
        "centre": [0.1, 0.2],
    },
    "sine": {
        "type": "sine",
        "start": [0.1, -0.2],
        "target": [0.5, 0.3],
        "frequency": [0.3, 0.5],
        "duration": 4,
    },
    "spline": {
        "type": "spline",
        "times": [0, 1, 2.5, 4],
        "waypoints": [[0, 0], [0.3, -0.2], [0.2, 0.4], [0, 0]],
    },
}
_DH = {
    "robot": "scara",
    "convention": "modified",
    "angles": "degrees",
    "lengths": "mm",
    "gravity": [0, 0, -9.81],
    "base": {"xyz": [0, 0, 100], "rpy": [0, 0, 90]},
    "tool": {"xyz": [10, 0, 0]},
    "rows": [
        {
            "name": "first",
            "alpha": 0,
            "a": 0,
            "d": 300,
            "theta": 10,
            "limits": {"position": [-90, 90], "velocity": 180, "acceleration": 500, "torque": 40},
            "mass": 3.5,
            "centre": [100, 0, 5],
            "inertia": {"xx": 0.02, "yy": 0.03, "zz": 0.03, "xy": 0.001},
        },
        {
            "type": "prismatic",
            "alpha": 180,
            "a": 400,
            "d": 0,
            "theta": 0,
            "limits": {"position": [0, 200], "velocity": 500},
            "mass": 1,
            "centre": [0, 0, 0],
        },
    ],
}
_CHAINS = {
    "robot": "two",
    "convention": "modified",
    "angles": "radians",
    "lengths": "m",
    "chains": [
        {"prefix": "l_", "rows": [{"alpha": 0, "d": 0, "r": 0.1, "theta": "-pi/2"}]},
        {"prefix": "r_", "rows": [{"alpha": "pi/4", "d": 0.2, "r": 0.1, "theta": "2*pi/3"}]},
    ],
}
_SRDF = """<?xml version="1.0"?>
<robot name="duo"><group name="arm"><chain base_link="base" tip_link="lower"/></group>
<disable_collisions link1="base" link2="upper" reason="Adjacent"/>
<disable_collisions link1="base" link2="lower" reason="Never"/></robot>
"""
_VERDICT = """{"joints": {"elbow": {"rmse": 0.1, "unit": "N*m", "rmse_torque": 0.1,
 "rmse_raw": 0.2,
 "nrmse": 0.01, "relative_error": 0.02, "r_squared": 0.99, "max_relative_torque_error": 0.1,
 "mean_relative_torque_error": null, "samples": 100,
 "moving_samples": 90, "velocity_threshold": 0.01}},
 "success": true, "reasons": [], "warnings": ["one"], "condition_number": 12.5,
 "base_parameters": 5,
 "samples": 100, "quantities": {"m": {"value": 1.5, "standard_deviation": 0.1, "unit": "kg",
 "of": "M1", "meaning": "mass", "unknown": ""}}}"""
_MESSAGE = """header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}
joint_names: [shoulder, elbow]
points:
- positions: [0.0, 0.0]
  velocities: [0.0, 0.0]
  accelerations: []
  effort: []
  time_from_start: {sec: 0, nanosec: 0}
- positions: [0.2, -0.1]
  velocities: [0.1, 0.0]
  time_from_start: {sec: 1, nanosec: 500000000}
- positions: [0.0, 0.0]
  velocities: [0.0, 0.0]
  time_from_start: {sec: 3, nanosec: 0}
---
"""


def make_corpus(folder: Path) -> None:
    """Write a folder of good files for each reader, named as ``targets.TARGETS``."""
    folder.mkdir(exist_ok=True)
    robot = load_robot(write_small_robot(folder))
    (folder / "part.stl").write_bytes(stl())
    recording = simulate(
        robot, build_excitation(_needed(find_excitation(robot)), robot.limits, JOINTS)
    )
    _put(folder / "profile", "small.yaml", yaml.safe_dump(ROBOT, sort_keys=False))
    _put(folder / "profile", "full.yaml", yaml.safe_dump(ROBOT | _FULL, sort_keys=False))
    _put(folder / "urdf", "small.urdf", URDF.strip())
    shaped = URDF.strip().replace("</inertial></link>", f"</inertial>{_SHAPES}</link>")
    _put(folder / "urdf", "shaped.urdf", shaped)
    for name, content in _EXCITATIONS.items():
        _put(folder / "excitation", f"{name}.yaml", yaml.safe_dump({"excitation": content}))
    _put(folder / "excitation", "message.yaml", _MESSAGE)
    rows = "time,shoulder,elbow\n0,0,0\n1,0.2,-0.1\n2,0.3,0.1\n3,0,0\n"
    _put(folder / "points", "points.csv", rows)
    _put(folder / "dh", "table.yaml", yaml.safe_dump(_DH, sort_keys=False))
    _put(folder / "dh", "chains.yaml", yaml.safe_dump(_CHAINS, sort_keys=False))
    _put(folder / "srdf", "duo.srdf", _SRDF)
    _put(folder / "esi", "servo.xml", esi())
    _put(folder / "payload", "payload.yaml", PAYLOAD)
    _put(folder / "verdict", "verdict.json", _VERDICT)
    _put(folder / "mesh", "part.stl", stl())
    _put(folder / "mesh", "part.obj", _obj())
    _put_drives(folder)
    tuned = robot.with_settings(CollisionSettings(torque_error_max=(5.0, 3.0)))
    _put(folder / "thresholds", "collision.yaml", threshold_text(tuned, ["Tuned."]))
    joints = len(robot.joints)
    uncertainty = ExternalTorqueUncertainty(
        robot.joints, np.ones(joints), np.ones(joints), np.eye(joints), 20.0, 30.0, "free motion"
    )
    _put(folder / "uncertainty", "uncertainty.yaml", uncertainty_text(uncertainty, ["Learned."]))
    history = "model,time,temperature\na.yaml,2026-01-31T12:00:00Z,21.5\nb.yaml,2026-02-01,19\n"
    _put(folder / "history", "history.csv", history)
    _put_model(folder, robot, recording)
    short = _decimated(recording)
    _put_recordings(folder, short)
    put_fleet(folder, short)
    put_simulators(folder)
    put_tables(folder, short)
    put_commands(folder, short)
    put_descriptions(folder, stl())


def _put(folder: Path, name: str, content: str | bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def _needed(settings):
    assert settings is not None
    return settings


def _put_drives(folder: Path) -> None:
    own = {"vendor_id": 7, "product_id": 8, "assign_activate": 0x300, "rpdo": 0x1600}
    own |= {"tpdo": 0x1A00, "encoder_counts": 65536, "objects": {"rated_current_ma": 0x6075}}
    own |= {"sdo": [{"index": 0x2000, "sub_index": 1, "type": "int8", "value": -4}]}
    _put(folder / "drive", "own.yaml", yaml.safe_dump(own))
    drives = Drives(**_FULL["drives"])
    for joint, text in slave_files(JOINTS, drives, load_drive("cia402"), 1000.0).items():
        _put(folder / "slave", f"{joint}.yaml", text)


def _put_model(folder: Path, robot: Robot, recording: Recording) -> None:
    model = identify(robot, recording).model
    _put(folder / "model", "model.yaml", "")
    model.save(folder / "model" / "model.yaml")
    names = dict(zip(model.base.names, model.base.values.tolist(), strict=True))
    _put(folder / "parameters", "base.yaml", yaml.safe_dump(names))
    _put(folder / "parameters", "base.csv", "".join(f"{k}, {v!r}\n" for k, v in names.items()))


def _decimated(recording: Recording) -> Recording:
    """A recording of few samples, at a tenth of the rate."""
    kept = slice(600, 600 + 10 * SAMPLES, 10)
    return replace(
        recording,
        time=recording.time[kept] - recording.time[600],
        position=recording.position[kept],
        velocity=None,
        effort=recording.effort[kept],
        sampling_rate=recording.sampling_rate / 10,
    )


def _put_recordings(folder: Path, recording: Recording) -> None:
    table = np.column_stack([recording.time, recording.position, recording.effort])
    header = "time,q1,q2,e1,e2\n"
    rows = "".join(",".join(f"{value:.6g}" for value in row) + "\n" for row in table)
    _put(folder / "csv", "log.csv", header + rows)
    header = "time,A1.pfbRaw,A2.pfbRaw,A1.tfbRaw,A2.tfbRaw\n"
    _put(folder / "softmc", "idnt.REC", header + rows)
    (folder / "npz").mkdir()
    arrays = {
        "time": recording.time,
        "position": recording.position,
        "effort": recording.effort,
        "joint_names": np.array(JOINTS),
    }
    np.savez(folder / "npz" / "log.npz", **arrays)
    np.savez_compressed(folder / "npz" / "packed.npz", **arrays)
    write_bag(recording, folder / "own_bag", "/joint_states")
    _write_db3(recording, folder / "db3_bag")
    (bag,) = (folder / "own_bag").glob("*.mcap")
    (table_file,) = (folder / "db3_bag").glob("*.db3")
    _put(folder / "mcap", "log.mcap", bag.read_bytes())
    _put(folder / "db3", "log.db3", table_file.read_bytes())
    for name in ("own_bag", "db3_bag"):
        _put(folder / "bag", f"{name}.yaml", (folder / name / "metadata.yaml").read_bytes())


def _write_db3(recording: Recording, folder: Path) -> None:
    types = get_typestore(Stores.ROS2_JAZZY)
    kind, stamp_kind = (
        types.types[f"{one}"]
        for one in ("sensor_msgs/msg/JointState", "builtin_interfaces/msg/Time")
    )
    header_kind = types.types["std_msgs/msg/Header"]
    with Writer(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connection = writer.add_connection("/joint_states", kind.__msgtype__, typestore=types)
        for time, q, effort in zip(
            recording.time, recording.position, recording.effort, strict=True
        ):
            nanoseconds = round(time * 1e9)
            stamp = stamp_kind(nanoseconds // 10**9, nanoseconds % 10**9)
            message = kind(header_kind(stamp, ""), list(JOINTS), q, np.zeros(0), effort)
            data = types.serialize_cdr(message, kind.__msgtype__)
            writer.write(connection, nanoseconds, data)


_CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def stl() -> bytes:
    """A tetrahedron as binary STL."""
    faces = b"".join(
        struct.pack("<12fH", 0, 0, 0, *_CORNERS[list(face)].ravel(), 0) for face in _FACES
    )
    return b"made by a test".ljust(80) + struct.pack("<I", len(_FACES)) + faces


def _obj() -> str:
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in _CORNERS)
    return corners + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in _FACES)
