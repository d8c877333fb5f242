"""Recordings made in Python: of arrays, of a data frame, and of a CSV file without a column map."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynid.arguments import check_path
from dynid.arrays import Array, as_numbers
from dynid.errors import ArgumentError
from dynid.recording.column_proposal import propose_columns
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording
from dynid.recording.model import Recording, Source, unnamed_joints
from dynid.recording.samples import Samples, nanoseconds
from dynid.recording.timeline import build_recording

_OWN_ENDING = ".position"
_EXPECTED_COLUMNS = (
    "expected 'time', and of each joint a position and an effort, such as 'q1' and 'tau1' or "
    "'elbow.position' and 'elbow.effort'"
)


def recording_of_arrays(
    time: ArrayLike,
    position: ArrayLike,
    effort: ArrayLike,
    *,
    velocity: ArrayLike | None = None,
    joint_names: Sequence[str] = (),
) -> Recording:
    """Return a recording of arrays; see :meth:`Recording.from_arrays`."""
    seconds = as_numbers("from_arrays(): time", time)
    if seconds.ndim != 1:
        raise ArgumentError(f"from_arrays(): time has shape {seconds.shape}, expected (N,).")
    positions = _columns("position", position, len(seconds))
    names = tuple(joint_names) or unnamed_joints(positions)
    given = {"position": position, "velocity": velocity, "effort": effort}
    signals = {
        name: _columns(name, values, len(seconds), len(names))
        for name, values in given.items()
        if values is not None
    }
    content = b"".join(array.tobytes() for array in (seconds, *signals.values()))
    return build_recording(
        Samples(
            stamps=nanoseconds(seconds, "from_arrays(): time"),
            position=signals["position"],
            velocity=signals.get("velocity"),
            effort=signals["effort"],
            joint_names=names,
            sources=(Source("arrays", sha256(content).hexdigest(), "arrays"),),
        )
    )


def recording_of_frame(frame: Any) -> Recording:
    """Return a recording of a pandas DataFrame; see :meth:`Recording.from_frame`."""
    if not hasattr(frame, "iloc"):
        given = type(frame).__name__
        raise ArgumentError(f"from_frame(): frame must be a pandas DataFrame, got {given}.")
    header = [str(name) for name in frame.columns]
    proposal = propose_columns(header)
    if proposal is None or proposal.time is None:
        text = ", ".join(header)
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        raise ArgumentError(f"from_frame(): the columns are {shown}, {_EXPECTED_COLUMNS}.")
    columns = _with_exact_names(proposal)
    signals = {
        name: frame.iloc[:, [header.index(str(column)) for column in signal.columns]].to_numpy()
        for name, signal in columns.signals().items()
    }
    seconds = frame.iloc[:, header.index(str(proposal.time.column))].to_numpy()
    return recording_of_arrays(
        as_numbers("from_arrays(): time", seconds) * proposal.time.factor,
        signals["position"],
        signals["effort"],
        velocity=signals.get("velocity"),
        joint_names=columns.joints,
    )


def recording_of_csv(path: str | Path, columns: ColumnMap | None) -> Recording:
    """Return the recording in a CSV file; see :meth:`Recording.from_csv`."""
    check_path("from_csv(): path", path)
    if columns is None:
        proposal = describe(Path(path)).proposal
        columns = proposal and _with_exact_names(proposal)
    return load_recording(path, None, columns=columns)


def _with_exact_names(proposal: ColumnMap) -> ColumnMap:
    """Return the map with the names of joints as :meth:`Recording.columns` has them."""
    names = [str(column) for column in proposal.position.columns]
    if not all(name.endswith(_OWN_ENDING) for name in names):
        return proposal
    joints = tuple(name.removesuffix(_OWN_ENDING) for name in names)
    return proposal.model_copy(update={"joints": joints})


def _columns(name: str, values: ArrayLike, samples: int, joints: int | None = None) -> Array:
    """Return a column for each joint (N, n); values (N,) are those of a single joint."""
    array = as_numbers(f"from_arrays(): {name}", values)
    array = array[:, np.newaxis] if array.ndim == 1 else array
    fits = array.ndim == 2 and array.shape == (samples, joints or array.shape[1])
    if not fits or 0 in array.shape:
        expected = f"({samples}, {joints or 'n'})"
        raise ArgumentError(
            f"from_arrays(): {name} has shape {np.shape(values)}, expected {expected}: a row for "
            "each time, a column for each joint."
        )
    return array
