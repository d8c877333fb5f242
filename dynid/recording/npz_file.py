"""Recordings in NumPy's ``.npz`` format, which has a checksum of every array."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dynid.errors import DynidError, RecordingError
from dynid.limits import RECORDING_JOINTS, RECORDING_MEMORY
from dynid.recording.limits import RecordingTooLargeError, check_memory, check_unpacked
from dynid.recording.model import Source, digest
from dynid.recording.plausible_temperature import with_temperature
from dynid.recording.samples import Samples, choose_joints, nanoseconds
from dynid.recording.temperature import TemperatureSamples
from dynid.text import shown, shown_names

_REQUIRED = ("time", "position", "effort", "joint_names")
_OPTIONAL = ("velocity", "temperature")
_ENDING = ".npy"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods of NumPy."""
_LONGEST_NAME = 1000
"""[characters] of a joint's name."""


class _DamagedArrayError(Exception):
    """An array of an archive cannot be read; the text is the reason."""


def read_npz(path: Path, joints: Sequence[str] | None) -> Samples:
    """Read a recording from named arrays.

    These are ``time`` (N,) [s], ``position``, ``velocity``, ``effort`` (N, n) and
    ``joint_names`` (n,); ``velocity`` is optional, and so is ``temperature`` (N, n) [°C].

    Raises:
        RecordingError: the file is not an archive, or an array is missing or does not fit.
    """
    where = shown(path)
    arrays, damaged = _arrays(path, (*_REQUIRED, *_OPTIONAL))
    for name in _REQUIRED:
        if name in damaged:
            readable = shown_names(
                f"{name} ({' x '.join(map(str, array.shape))})" for name, array in arrays.items()
            )
            raise RecordingError(
                f"{where}: array '{name}' is damaged ({damaged[name]}); readable are {readable}."
            )
        if name not in arrays:
            raise RecordingError(
                f"{where}: array '{name}' is missing; expected are "
                f"{', '.join(_REQUIRED)} and optionally {' and '.join(_OPTIONAL)}."
            )
    names = tuple(str(name) for name in np.atleast_1d(arrays["joint_names"]).ravel())
    what = f"{where}: names {len(names)} joints"
    RECORDING_JOINTS.check(len(names), what, RecordingTooLargeError)
    time = _numbers(arrays, "time", (None,), where)
    check_memory(len(time), len(names), where)
    wanted, order = choose_joints(joints, names, where)
    signals = {
        name: _numbers(arrays, name, (len(time), len(names)), where)[:, order]
        for name in ("position", "velocity", "effort", "temperature")
        if name in arrays
    }
    damage = tuple(
        f"{where} is damaged: array '{name}' cannot be read ({reason}) and all its "
        f"{len(time)} samples were ignored."
        for name, reason in damaged.items()
    )
    samples = Samples(
        stamps=nanoseconds(time, where),
        position=signals["position"],
        velocity=signals.get("velocity"),
        effort=signals["effort"],
        joint_names=wanted,
        sources=(Source(where, digest(path), "npz", path=path),),
        repairs=damage,
        damage=damage,
    )
    if "temperature" not in signals:
        return samples
    heat = TemperatureSamples(
        samples.stamps, signals["temperature"], f"{where}, array 'temperature'"
    )
    return with_temperature(samples, heat)


def has_names_of_signals(path: Path) -> bool:
    """Return whether a file ``.npz`` has the array ``joint_names``, or cannot be listed."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(_ENDING) for name in archive.namelist()}
    except Exception:  # noqa: BLE001  as below
        return True
    return "joint_names" in names or len(names & {*_REQUIRED, *_OPTIONAL}) > 1 or not names


def read_arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    """Return all arrays of an archive by name.

    Raises:
        RecordingError: the file is not an archive, or an array is damaged.
    """
    arrays, damaged = _arrays(path, None)
    if damaged:
        name, reason = next(iter(damaged.items()))
        raise RecordingError(f"{shown(path)}: array '{shown(name)}' cannot be read ({reason}).")
    return arrays


def _arrays(
    path: Path, names: Sequence[str] | None
) -> tuple[dict[str, NDArray[np.generic]], dict[str, str]]:
    """Read arrays, all without names; return readable ones, and the reasons for the others."""
    arrays: dict[str, NDArray[np.generic]] = {}
    damaged: dict[str, str] = {}
    where = shown(path)
    try:
        size = path.stat().st_size
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename.removesuffix(_ENDING): entry for entry in archive.infolist()}
            # checked before unpacking; an entry is never unpacked beyond its stated size
            known = [entry for name, entry in entries.items() if names is None or name in names]
            unpacked = sum(entry.file_size for entry in known)
            what = f"{where}: unpacks to {unpacked} bytes of arrays"
            RECORDING_MEMORY.check(unpacked, what, RecordingTooLargeError)
            check_unpacked(size, unpacked, where)
            for name, entry in entries.items():
                array, problem = _readable(archive, entry, wanted=names is None or name in names)
                if array is not None:
                    arrays[name] = array
                if problem:
                    damaged[name] = problem
    except DynidError:
        raise
    # numpy and zipfile raise many types for a damaged archive
    except Exception as error:  # noqa: BLE001
        raise RecordingError(
            f"{where}: cannot be read as an .npz archive of plain arrays "
            f"({' '.join(str(error).split())})."
        ) from None
    return arrays, damaged


def _readable(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, *, wanted: bool
) -> tuple[NDArray[np.generic] | None, str]:
    """Read an array if it is wanted; return it, and the reason if it cannot be read."""
    try:
        if wanted:
            return _array(archive, entry), ""
        # a damaged name differs from that in the array's own header
        archive.open(entry).close()
    except (_DamagedArrayError, zipfile.BadZipFile) as error:
        return None, " ".join(str(error).split())
    return None, ""


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[np.generic]:
    if entry.compress_type not in _METHODS:
        raise _DamagedArrayError("its compression is not one of NumPy's")
    try:
        with archive.open(entry) as stream:
            shape, fortran, kind = _header(stream)
            count = math.prod(shape)
            left = entry.file_size - stream.tell()
            if kind.hasobject:
                raise _DamagedArrayError("it contains Python objects, expected numbers")
            if kind.itemsize == 0 or count * kind.itemsize != left:
                raise _DamagedArrayError("its size differs from that in its header")
            if kind.kind in "US" and kind.itemsize > 4 * _LONGEST_NAME:
                raise _DamagedArrayError(f"its texts are longer than {_LONGEST_NAME} characters")
            # reads to the end, where the archive verifies the checksum
            content = stream.read()
    except _DamagedArrayError:
        raise
    except Exception as error:  # noqa: BLE001  as above
        raise _DamagedArrayError(" ".join(str(error).split())) from None
    if len(content) != left:
        raise _DamagedArrayError("it ends early")
    array = np.frombuffer(content, dtype=kind)
    return array.reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Read shape, order and type of an array."""
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, kind = read(stream)
    return shape, fortran, kind


def _numbers(
    arrays: dict[str, NDArray[np.generic]], name: str, shape: tuple[int | None, ...], where: str
) -> NDArray[np.float64]:
    array = np.asarray(arrays[name])  # bytes, if a member is not an array
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if not fits:
        expected = " x ".join("N" if size is None else str(size) for size in shape)
        shape_text = " x ".join(map(str, array.shape)) or "scalar"
        raise RecordingError(f"{where}: array '{name}' is {shape_text}, expected {expected}.")
    if array.dtype.kind not in "fiub":
        raise RecordingError(f"{where}: array '{name}' contains {array.dtype}, expected numbers.")
    with np.errstate(over="ignore"):  # of a wider type; what is infinite then is invalid
        return np.asarray(array, dtype=np.float64)
