"""What a worker does: read one recording, identify it, and return rows for the data set."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import DynidError, RecordingError
from dynid.file_names import encoded_file_name, start_of_file_name
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.input_file import check_regular
from dynid.limits import RECORDING_FILES
from dynid.recording.bag_folder import kind_of
from dynid.recording.model import digest
from dynid.recording.settings import RecordingSettings
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.text import printable
from dynid_plugins.fleet.dataset import MODELS, VERSION
from dynid_plugins.fleet.listing import Entry, file_system

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_DIGEST_CHARACTERS = 12  # characters of a digest in a file name


@dataclass(frozen=True)
class Outcome:
    """The result of one recording.

    Attributes:
        row: of ``recordings``.
        parameters: rows of ``parameters``.
        model: text of model.yaml; None if the identification was not possible.
    """

    row: dict[str, Any]
    parameters: tuple[dict[str, Any], ...] = ()
    model: str | None = None


def settings_digest(robot: Robot) -> str:
    """Return the SHA-256 of all settings and of the URDF, in hexadecimal."""
    content = json.dumps([robot.yaml_content(), robot.urdf_xml], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def process(robot: Robot, entry: Entry, known: str | None) -> Outcome | str:
    """Identify a recording.

    Whatever is wrong with it becomes a row with the status ``failed``. ``known`` is the SHA-256 of
    the content that the data set has results of, with the same settings.

    Returns:
        the outcome; ``known`` if the content is the same.
    """
    begin = time.monotonic()
    row = _row(entry) | {"settings_sha256": settings_digest(robot)}
    try:
        with _local(entry.recording, robot) as path:
            content = _content_digest(path)
            if content == known:
                return content
            row["content_sha256"] = content
            recording = load_recording(path, robot)
            row |= {"samples": len(recording.time), "duration": recording.duration}
            found = identify(robot, recording)
    except (DynidError, OSError) as problem:
        message = printable(problem)
        return Outcome(row | {"message": message, "seconds": time.monotonic() - begin})
    except Exception as problem:  # noqa: BLE001  a fault in one recording must not end the others
        message = printable(f"failed in dynid itself ({type(problem).__name__}: {problem}).")
        return Outcome(row | {"message": message, "seconds": time.monotonic() - begin})
    row |= _result(found, row)
    text = found.model.text()
    return Outcome(row | {"seconds": time.monotonic() - begin}, _parameters(found.model, row), text)


def lost(robot: Robot, entry: Entry, message: str) -> Outcome:
    """Return the row of a recording whose worker ended."""
    return Outcome(_row(entry) | {"settings_sha256": settings_digest(robot), "message": message})


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "schema_version": VERSION,
        "robot": entry.robot,
        "type": entry.type,
        "recording": entry.recording,
        "recorded_at": entry.recorded_at,
        "temperature": entry.temperature,
        "fingerprint": entry.fingerprint,
        "status": "failed",
        "dynid_version": dynid.__version__,
        "finished_at": datetime.now(timezone.utc),
        "seconds": 0.0,
    }


@contextmanager
def _local(place: str, robot: Robot) -> Iterator[Path]:
    """Yield the path of a recording, copied to this machine if it is elsewhere.

    Raises:
        RecordingError: it cannot be copied, or is a folder of something else.
        ConfigurationError: its protocol is unknown.
    """
    system, path = file_system(place)
    if system.isdir(path):
        _check_folder(system, path, place, robot)
    if "://" not in place:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="dynid-") as folder:
        here = Path(folder) / Path(path).name
        try:
            system.get(path, str(here), recursive=system.isdir(path))
        except (OSError, ValueError) as problem:
            raise RecordingError(f"{printable(place)}: cannot be copied ({problem}).") from None
        yield here


def _check_folder(system: AbstractFileSystem, path: str, place: str, robot: Robot) -> None:
    """Raise a RecordingError unless a folder can be a recording, before all of it is read."""
    names = {Path(one).name for one in system.ls(path, detail=False)}
    known = names & {"metadata.yaml", "meta"} or any(kind_of(Path(one)) for one in names)
    if not known and robot.settings(RecordingSettings).columns is None:
        raise RecordingError(
            f"{printable(place)}: is a folder without a recording; expected one of rosbag2 or "
            "LeRobot. Patterns of a fleet name recordings, not folders of recordings."
        )


def _content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of a folder.

    Raises:
        RecordingError: it is no regular file, or has too many files.
    """
    if not path.is_dir():
        if not check_regular(path, RecordingError).st_size:  # of the kernel, and without an end
            raise RecordingError(f"{printable(path)}: is empty.")
        return digest(path)
    files = []
    for count, one in enumerate(path.rglob("*"), 1):
        if count > RECORDING_FILES.most:
            RECORDING_FILES.refuse(f"{printable(path)}: has {count} files or more", RecordingError)
        if one.is_file():
            files.append(one)
    parts = [f"{one.relative_to(path)} {digest(one)}" for one in sorted(files)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _result(found: Identification, row: dict[str, Any]) -> dict[str, Any]:
    model, made, errors = found.model, found.provenance, found.model.errors
    celsius = made.sources[0].temperature  # of one recording
    covariance = model.base.covariance_of(model.base.names)
    name = Path(row["recording"]).stem
    short = row["content_sha256"][:_DIGEST_CHARACTERS] + row["settings_sha256"][:_DIGEST_CHARACTERS]
    folder = encoded_file_name(row["robot"])
    return {
        "recorded_at": row["recorded_at"] or made.recorded,
        "temperature": celsius if row["temperature"] is None else row["temperature"],
        "status": "identified",
        "verdict": "pass" if found.verdict.success else "fail",
        "message": " ".join((*made.reasons, *made.warnings)) or None,
        "joints": list(found.robot.joints),
        "relative_error": None if errors is None else list(errors.relative_error),
        "held_out_error": None if errors is None else list(errors.held_out_relative_error) or None,
        "torque_error": None if errors is None else list(errors.rmse_torque),
        "covariance": covariance[np.tril_indices(len(covariance))].tolist(),
        "friction_repeatability": model.base.friction_repeatability,
        "model": f"{MODELS}/{folder}/{start_of_file_name(name)}-{short}.yaml",
    }


def _parameters(model: Model, row: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    mechanism, estimate = model.mechanism, model.base
    base = base_parameterization(mechanism)
    places = {name: number for number, name in enumerate(base.names)}
    key = ("robot", "type", "recording", "content_sha256", "settings_sha256")
    rows = []
    for index, name in enumerate(estimate.names):
        column = int(base.independent[places[name]])
        term = column - mechanism.first_term
        bodies = mechanism.body_joints
        rows.append(
            {one: row[one] for one in key}
            | {
                "index": index,
                "parameter": name,
                "regrouping": estimate.regroupings[index],
                "kind": "rigid" if term < 0 else mechanism.terms[term].kind,
                "joint": bodies[column // 10]
                if term < 0
                else mechanism.moving_joints[mechanism.terms[term].joint],
                "unit": base.units[places[name]],
                "value": float(estimate.values[index]),
                "standard_deviation": float(estimate.standard_deviations[index]),
            }
        )
    return tuple(rows)
