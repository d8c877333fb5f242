"""Recordings in NumPy's ``.npz`` format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.model import Source, digest
from dynid.recording.samples import Samples, nanoseconds, require_joints

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_REQUIRED = ("time", "position", "effort", "joint_names")
_OPTIONAL = ("velocity",)


def read_npz(path: Path, joints: Sequence[str] | None) -> Samples:
    """Read a recording from named arrays.

    These are ``time`` (N,) [s], ``position``, ``velocity``, ``effort`` (N, n) and
    ``joint_names`` (n,); ``velocity`` may be absent.

    Args:
        path: the ``.npz`` file.
        joints: the joints to read, in this order; None for all.

    Raises:
        RecordingError: the file is not an archive, or an array is missing or does not fit.
    """
    arrays = _arrays(path)
    for name in _REQUIRED:
        if name not in arrays:
            raise RecordingError(
                f"{path.name}: array '{name}' is missing; expected are "
                f"{', '.join(_REQUIRED)} and optionally velocity."
            )
    names = tuple(str(name) for name in np.atleast_1d(arrays["joint_names"]))
    time = _numbers(arrays, "time", (None,), path)
    wanted = names if joints is None else tuple(joints)
    require_joints(wanted, names, path.name)
    order = [names.index(joint) for joint in wanted]
    signals = {
        name: _numbers(arrays, name, (len(time), len(names)), path)[:, order]
        for name in ("position", "velocity", "effort")
        if name in arrays
    }
    return Samples(
        stamps=nanoseconds(time, path.name),
        position=signals["position"],
        velocity=signals.get("velocity"),
        effort=signals["effort"],
        joint_names=wanted,
        sources=(Source(path.name, digest(path), "npz"),),
    )


def _arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in (*_REQUIRED, *_OPTIONAL) if name in archive}
    # numpy and zipfile raise many types for a damaged archive, all of which mean the same here
    except Exception as error:  # noqa: BLE001
        raise RecordingError(
            f"{path.name}: cannot be read as an .npz archive of plain arrays ({error})."
        ) from None


def _numbers(
    arrays: dict[str, NDArray[np.generic]], name: str, shape: tuple[int | None, ...], path: Path
) -> NDArray[np.float64]:
    array = np.asarray(arrays[name])  # bytes, of a member that is no array
    fits = len(array.shape) == len(shape) and all(
        expected in (None, found) for expected, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        expected = " x ".join("N" if size is None else str(size) for size in shape)
        found = " x ".join(map(str, array.shape)) or "scalar"
        raise RecordingError(f"{path.name}: array '{name}' is {found}, expected {expected}.")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise RecordingError(
            f"{path.name}: array '{name}' holds {array.dtype}, expected numbers."
        ) from None
