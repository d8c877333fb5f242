"""The readers, each as a function from a file to the numbers that came out of it."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from mcap.records import Chunk
from mcap.stream_reader import StreamReader

from dynid.control.build import control_model
from dynid.control.carried_body import carrying, read_carried_body
from dynid.control.collisions import with_thresholds
from dynid.control.wrench.uncertainty import read_uncertainty
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.errors import DynidError
from dynid.excitation.build import described_excitation
from dynid.excitation.files import read_excitation
from dynid.excitation.workspace.meshes import mesh_hulls
from dynid.excitation.workspace.pairs import read_srdf
from dynid.profile import load_model, load_robot, profile_text, write_profile
from dynid.recording.columns import ColumnMap
from dynid.recording.load import load_recording
from dynid.recording.model import Recording
from dynid.report.verdict_json import read_card, read_quantities
from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.table import read_table
from dynid.robot.dh.urdf import urdf_of
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import Drives
from dynid.robot.esi import drive_of_esi, read_esi
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.robot.shapes import robot_shapes
from dynid.robot.slave_files import check_slave_files, slave_files
from dynid.robot.urdf_export import kinematic_urdf
from dynid_plugins.fleet.drift.history_table import read_history_table
from dynid_plugins.laboratory.given_parameters import read_base_parameters
from fuzz.command_targets import (
    new_profile,
    read_columns,
    read_expression,
    read_left_progress,
    read_override,
    read_package,
    read_rig,
    read_rows,
    seal_again,
)
from fuzz.description_targets import new_described
from fuzz.fleet_targets import read_data_set, read_episode, read_fleet, read_fleet_table
from fuzz.simulator_targets import read_mjcf, read_simulator
from fuzz.table_targets import read_by_names, read_delayed, read_doubts, read_runs

Numbers = Iterator[object]


class SilentChangeError(AssertionError):
    """Numbers with a checksum were changed without an error or a note."""


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes:
        read: from a file and the corpus' folder to numbers, all of which must be finite.
        cases: for a run of the tests; in proportion to the speed.
    """

    read: Callable[[Path, Path], Numbers]
    cases: int


@cache
def _robot(folder: Path) -> Robot:
    return load_robot(folder / "duo.yaml")


@cache
def _good_model(folder: Path) -> Model:
    return load_model(folder / "model" / "model.yaml")


@cache
def _base(folder: Path) -> BaseParameterization:
    return base_parameterization(_good_model(folder).mechanism)


@cache
def _original(path: Path) -> Recording:
    return load_recording(path, None)


def _motion(robot: Robot) -> Numbers:
    mechanism = robot.mechanism()
    still = np.zeros((1, len(robot.joints)))
    yield mechanism.urdf_parameters
    yield mechanism.torque(still, still + 1, still + 1, mechanism.parameters)


def _profile(path: Path, folder: Path) -> Numbers:
    own = path.with_name("duo.urdf")
    if not own.exists():
        shutil.copy(folder / "duo.urdf", own)
    robot = load_robot(path)
    yield from _motion(robot)
    changed = robot.model_copy(update={"terms": robot.explicit_terms[:1]})
    written = path.with_name("written.yaml")
    write_profile(changed, written, given=profile_text(str(path)), note="By fuzzing.")
    assert load_robot(written) == changed


def _urdf(path: Path, folder: Path) -> Numbers:
    robot = load_robot(path)
    yield from _motion(robot)
    kinematics = robot.kinematics()
    yield kinematics.reach
    for shapes in robot_shapes(kinematics):
        yield from (shape.size for shape in shapes)
    assert kinematic_urdf(robot.urdf_xml)
    mesh_hulls(kinematics, folder, "collision")


def _model(path: Path, folder: Path) -> Numbers:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load_model(path)
    original = _good_model(folder)
    if not caught and not np.array_equal(model.parameters, original.parameters):
        raise SilentChangeError("parameters")
    yield model.parameters


def _excitation(path: Path, folder: Path) -> Numbers:
    robot = _robot(folder)
    motion = described_excitation(read_excitation(path), robot.limits, robot.joints)
    yield motion.duration
    yield from motion.evaluate(np.linspace(0, motion.duration, 50))


def _dh(path: Path, _: Path) -> Numbers:
    table = read_table(path)
    urdf = urdf_of(table.robot, chains_of(table, path.name), path.name)
    path.with_suffix(".urdf").write_text(urdf)
    yield from _motion(load_robot(path.with_suffix(".urdf")))


def _drive(path: Path, folder: Path) -> Numbers:
    drives = Drives(
        effort="rated_current_permille",
        rated_current_ma=3000,
        torque_constant=0.3,
        encoder_counts=4096,
    )
    assert slave_files(("shoulder", "elbow"), drives, load_drive(str(path)), 1000.0)
    yield 0


def _slave(path: Path, _: Path) -> Numbers:
    check_slave_files(path.parent, [path.stem], 1000.0)
    yield 0


def _srdf(path: Path, _: Path) -> Numbers:
    yield len(read_srdf(path))


def _esi(path: Path, _: Path) -> Numbers:
    found = drive_of_esi(read_esi(path), load_drive("cia402"), Drives(), path.name)
    yield from (found.profile.vendor_id, found.profile.rpdo, len(found.notes))


def _payload(path: Path, folder: Path) -> Numbers:
    body = read_carried_body(path)
    yield from (body.mass, body.centre, body.inertia)
    robot, mechanism = _robot(folder), _good_model(folder).mechanism
    control_model(robot, mechanism).set_payload(body.mass, body.centre, body.inertia)
    still = np.zeros((1, len(mechanism.joints)))
    loaded = carrying(mechanism, body)
    yield loaded.torque(still, still + 1, still + 1, loaded.parameters)


def _thresholds(path: Path, folder: Path) -> Numbers:
    with_thresholds(_robot(folder), path)
    yield 0


def _history(path: Path, _folder: Path) -> Numbers:
    for row in read_history_table(path):
        yield row.time
        if row.temperature is not None:
            yield row.temperature


def _uncertainty(path: Path, folder: Path) -> Numbers:
    found = read_uncertainty(path, _robot(folder))
    yield from (found.constant, found.per_speed, found.correlation, found.threshold)


def _parameters(path: Path, folder: Path) -> Numbers:
    robot = _robot(folder)
    yield list(read_base_parameters(path, robot.mechanism(), _base(folder)).values())


def _verdict(path: Path, _: Path) -> Numbers:
    text = path.read_text("utf-8", "replace")
    read_card(text)
    read_quantities(text)
    yield 0


def _mesh(path: Path, folder: Path) -> Numbers:
    text = (folder / "urdf" / "shaped.urdf").read_text().replace("part.stl", path.name)
    path.with_suffix(".urdf").write_text(text)
    kinematics = load_robot(path.with_suffix(".urdf")).kinematics()
    hulls, _ = mesh_hulls(kinematics, path.parent, "collision")
    for found in hulls.values():
        yield from (one.form.computeVolume() for one in found)


def _recorded(path: Path, columns: ColumnMap | None = None) -> Recording:
    return load_recording(path, None, columns=columns)


def _numbers_of(recording: Recording) -> Numbers:
    yield from (recording.time, recording.position, recording.effort)


_COLUMNS = ColumnMap.model_validate(
    {
        "joints": ["shoulder", "elbow"],
        "time": {"column": "time"},
        "position": {"columns": ["q1", "q2"]},
        "effort": {"columns": ["e1", "e2"]},
    }
)


def _csv(path: Path, _: Path) -> Numbers:
    yield from _numbers_of(_recorded(path, _COLUMNS))


def _recording(path: Path, _: Path) -> Numbers:
    yield from _numbers_of(_recorded(path))


def _mcap(path: Path, folder: Path) -> Numbers:
    recording = _recorded(path)
    whole = folder / "mcap" / "log.mcap"
    if _has_checksums(whole) and not recording.repairs:
        original = _original(whole)
        if not np.array_equal(recording.position, original.position):
            raise SilentChangeError("positions")
    yield from _numbers_of(recording)


@cache
def _has_checksums(path: Path) -> bool:
    """Whether every chunk of a file has a checksum, as bags that dynid writes do."""
    with path.open("rb") as file:
        chunks = [
            one for one in StreamReader(file, emit_chunks=True).records if isinstance(one, Chunk)
        ]
    return bool(chunks) and all(chunk.uncompressed_crc for chunk in chunks)


def _bag(path: Path, folder: Path) -> Numbers:
    """A folder of a bag whose metadata are mutated."""
    bag = path.with_suffix("")
    if not bag.exists():
        bag.mkdir()
        for file in (folder / bag.name.partition("-")[0]).iterdir():
            if file.suffix in {".mcap", ".db3"}:
                shutil.copy(file, bag)
    path.replace(bag / "metadata.yaml")
    yield from _numbers_of(_recorded(bag))


TARGETS = {
    "profile": Target(_profile, 300),
    "urdf": Target(_urdf, 500),
    "model": Target(_model, 150),
    "excitation": Target(_excitation, 400),
    "points": Target(_excitation, 400),
    "dh": Target(_dh, 300),
    "drive": Target(_drive, 600),
    "esi": Target(_esi, 1000),
    "slave": Target(_slave, 300),
    "srdf": Target(_srdf, 1500),
    "payload": Target(_payload, 1000),
    "thresholds": Target(_thresholds, 400),
    "uncertainty": Target(_uncertainty, 300),
    "history": Target(_history, 2000),
    "parameters": Target(_parameters, 400),
    "verdict": Target(_verdict, 2000),
    "mesh": Target(_mesh, 150),
    "csv": Target(_csv, 400),
    "table": Target(read_by_names, 200),
    "fields": Target(read_by_names, 100),
    "runs": Target(read_runs, 200),
    "delayed": Target(read_delayed, 200),
    "doubts": Target(read_doubts, 200),
    "softmc": Target(_recording, 300),
    "npz": Target(_recording, 300),
    "mcap": Target(_mcap, 150),
    "db3": Target(_recording, 150),
    "bag": Target(_bag, 75),
    "ros1": Target(_recording, 150),
    "lerobot": Target(read_episode, 100),
    "fleet": Target(read_fleet, 300),
    "fleet_table": Target(read_fleet_table, 300),
    "fleet_data": Target(read_data_set, 100),
    "mjcf": Target(read_mjcf, 300),
    "simulator": Target(read_simulator, 100),
    "usd": Target(read_simulator, 50),
    "columns": Target(read_columns, 200),
    "rig": Target(read_rig, 30),
    "expression": Target(read_expression, 400),
    "override": Target(read_override, 100),
    "package": Target(read_package, 500),
    "progress": Target(read_left_progress, 500),
    "new": Target(new_profile, 25),
    "described": Target(new_described, 40),
    "seal": Target(seal_again, 25),
    "rows": Target(read_rows, 5),
}
"""By the name of the corpus' folder."""

EXPECTED = (DynidError,)
