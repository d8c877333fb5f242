"""What commands read besides robots, models and recordings, with the good files to mutate."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from support.drawn_fleet import DrawnRobot, write_drawn_fleet
from support.simulator_models import USERS_MJCF
from support.small_robot import JOINTS, URDF

from dynid.cli.new import new_command
from dynid.configuration import parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.identification.quantities import check_quantities
from dynid.identification.quantity_expression import Dual, parse_expression
from dynid.identification.settings import QuantitySettings
from dynid.packages import Packages
from dynid.profile import load_model, load_robot, make_robot
from dynid.recording.columns import ColumnMap
from dynid.recording.load import load_recording
from dynid.recording.model import Recording
from dynid.robot.model_file import confirm_edit
from dynid_plugins.fleet import watch
from dynid_plugins.fleet.dataset import TABLES, FleetResults, load
from dynid_plugins.fleet.progress import read_progress
from dynid_plugins.fleet.site import build
from dynid_plugins.servo.cli.servo import load_rig

Numbers = Iterator[object]

_COLUMNS = {
    "joints": list(JOINTS),
    "time": {"column": "time", "factor": 1.0},
    "position": {"columns": ["q1", "q2"], "factor": 1.0},
    "effort": {"columns": ["e1", "e2"]},
}
_RIG = {
    "profile": "servo_rig",
    "runs": [
        {"recording": "rig.npz"},
        {
            "recording": "rig.npz",
            "load": {"mass": 0.5, "centre": [0.15, 0.0, 0.0], "inertia": 1e-4},
            "position_gain": 2.5,
            "supply_voltage": 12.0,
            "start": 0.1,
            "stop": 0.2,
        },
    ],
}
_EXPRESSIONS = "g * sqrt(MX1**2 + MY1**2)\natan2(MY2, MX2)\nabs(ZZ1 + 0.5*Fv1)/(2 - -Fc2)\n"
_OVERRIDES = """identification.cutoff_hz=20
terms=[{kind: viscous}, {kind: coulomb}]
limits.velocity=[4.0, 5.0]
workspace.self_collision=false
simulation.home=[0.1, -0.2]
"""
_PACKAGE = '<?xml version="1.0"?><package format="3"><name>duo_description</name></package>'
_STATES = 6  # recordings of the watched robot


def put_commands(folder: Path, recording: Recording) -> None:
    """Write good files for the readers of this module into a folder for each."""
    for name, file, content in (
        ("columns", "columns.yaml", yaml.safe_dump(_COLUMNS, sort_keys=False)),
        ("rig", "rig.yaml", yaml.safe_dump(_RIG, sort_keys=False)),
        ("expression", "expressions.txt", _EXPRESSIONS),
        ("override", "overrides.txt", _OVERRIDES),
        ("package", "package.xml", _PACKAGE),
        ("progress", "progress.json", json.dumps({"done": 1, "all": 2}).ljust(64)),
        ("new", "mine.xml", USERS_MJCF),
        ("new", "small.urdf", URDF.strip()),
        ("seal", "model.yaml", (folder / "model" / "model.yaml").read_text()),
    ):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / file).write_text(content)
    one = recording.position[:, :1]
    np.savez(
        folder / "rig.npz",
        time=recording.time,
        position=one,
        effort=one + 0.01,
        joint_names=np.array(load_robot("servo_rig").joints),
    )
    _put_rows(folder)


def _put_rows(folder: Path) -> None:
    """Write a data set, and its tables as JSON, of which numbers and names are mutated."""
    write_drawn_fleet(folder / "watched", [DrawnRobot("a", "duo", _STATES, failed=1)])
    results = load(folder / "watched")
    (folder / "rows").mkdir()
    for name in TABLES:
        rows = getattr(results, name).to_pylist()
        text = json.dumps({name: rows}, default=datetime.isoformat)
        (folder / "rows" / f"{name}.json").write_text(text)


def read_columns(path: Path, folder: Path) -> Numbers:
    """Read a CSV file by a map of columns."""
    columns = parse(ColumnMap, read_yaml(path), path.name)
    recording = load_recording(folder / "csv" / "log.csv", None, columns=columns)
    yield from (recording.time, recording.position, recording.effort)


def read_rig(path: Path, folder: Path) -> Numbers:
    """Read a rig's file, and the recordings that it names."""
    own = path.with_name("rig.npz")
    if not own.exists():
        shutil.copy(folder / "rig.npz", own)
    for run in load_rig(path):
        yield from (run.body, run.recording.position, run.recording.effort)


@cache
def _duo(folder: Path) -> Any:
    robot = load_robot(folder / "duo.yaml")
    return robot, robot.mechanism()


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines()


def read_expression(path: Path, folder: Path) -> Numbers:
    """Evaluate the expressions of quantities; their values need not be finite."""
    _, mechanism = _duo(folder)
    values = mechanism.urdf_parameters + 1
    gradients = np.eye(len(values))
    names = ("g", *mechanism.parameter_names)
    variables = {
        name: Dual(np.float64(values[i - 1]), gradients[i - 1]) for i, name in enumerate(names)
    }
    for number, text in enumerate(_lines(path)):
        wanted = parse(QuantitySettings, {"of": text}, path.name)
        check_quantities({f"of {number}": wanted}, mechanism)
        expression, _ = parse_expression(text)
        assert expression(variables).gradient.shape in {(), (len(values),)}
    yield 0


def read_override(path: Path, folder: Path) -> Numbers:
    """Change keys of a profile, as --set does."""
    robot = load_robot(folder / "duo.yaml", overrides=_lines(path))
    yield robot.mechanism().urdf_parameters


def read_package(path: Path, _: Path) -> Numbers:
    """Find a package by its manifest."""
    found = Packages(beside=path).find("duo_description")
    assert found is None or found.is_dir()
    yield 0


def read_left_progress(path: Path, _: Path) -> Numbers:
    """Read how far a run is."""
    found = read_progress(path.parent)
    yield from () if found is None else (found.done, found.count)


def new_profile(path: Path, _: Path) -> Numbers:
    """Make a profile of a URDF or MJCF, and load it."""
    profile = path.with_name("made.yaml")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        new_command(path, output=profile, joints="*", force=True)
    yield load_robot(profile).mechanism().urdf_parameters


def seal_again(path: Path, _: Path) -> Numbers:
    """Confirm an edit of a model.yaml; what is sealed must be accepted afterwards."""
    confirm_edit(path, make_robot)
    yield load_model(path).parameters


def read_rows(path: Path, folder: Path) -> Numbers:
    """Watch a fleet in whose tables another program wrote, and draw its pages."""
    results = _altered(path, folder)
    before = watch.completed, build.completed
    watch.completed = build.completed = _serially
    try:
        states = watch.watch_fleet(results, None, reference=4, simulations=50)
        build.write_site(results, states, None, path.with_name("site"))
    finally:
        watch.completed, build.completed = before
        shutil.rmtree(path.with_name("site"), ignore_errors=True)
    for state in states:
        yield len(state.sentences)


def _serially(
    _client: None, function: Callable[..., Any], items: Iterable[tuple[Any, tuple[Any, ...]]]
) -> Iterator[tuple[Any, Any]]:
    for item, arguments in items:
        yield item, function(*arguments)


def _altered(path: Path, folder: Path) -> FleetResults:
    """Return the results of a data set of which one table is in a JSON file."""
    own = path.with_name("watched")
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(folder / "watched", own)
    name = path.stem
    try:
        rows = json.loads(path.read_text("utf-8", "replace"))[name]
        for row in rows:
            for key in ("recorded_at", "finished_at"):
                if row.get(key) is not None:
                    row[key] = datetime.fromisoformat(row[key])
        table = pa.Table.from_pylist(rows, schema=TABLES[name])
        table.validate(full=True)
        (file,) = (own / name).glob("*.parquet")
        pq.write_table(table, file)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ConfigurationError("no table can have this content") from None
    return load(own)
