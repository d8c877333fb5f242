"""MAT-files that would take all memory, or a deep recursion, are refused before they are read."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from dynid.errors import RecordingError
from dynid.recording.mat_file import size_in_memory
from dynid.recording.table_file import read_table

MOST = 2**22  # bytes
HEAD = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H2s", 0x0100, b"IM")


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_RECORDING_MEMORY", str(MOST))


def element(kind: int, content: bytes) -> bytes:
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix(name: bytes, *, of: int = 6, sides: tuple[int, int] = (1, 1), content: bytes) -> bytes:
    flags = element(6, struct.pack("<II", of, 0))
    shape = element(5, struct.pack("<ii", *sides))
    return element(14, flags + shape + element(1, name) + content)


def compressed(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return struct.pack("<II", 15, len(packed)) + packed


def nested(depth: int) -> bytes:
    """A cell in a cell in a cell …"""
    inner = matrix(b"", sides=(0, 0), content=element(9, b""))
    for level in range(depth):
        inner = matrix(b"deep" if level == depth - 1 else b"", of=1, content=inner)
    return inner


def save(path: Path, content: bytes) -> Path:
    path.write_bytes(HEAD + content)
    return path


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize(
    "content",
    [
        {"q": np.zeros((30, 4)), "t": np.arange(30.0)},
        {"log": {"q": np.zeros((30, 4)), "arm": {"tau": np.ones((30, 4), dtype=np.uint8)}}},
        {"cells": np.array([np.zeros(3), np.zeros((4, 5))], dtype=object)},
        {"complex": np.zeros((10, 2), dtype=complex), "text": "name"},
    ],
    ids=["arrays", "structures", "cells", "complex"],
)
def test_sizes_are_those_of_the_arrays(
    tmp_path: Path, content: dict[str, Any], compress: bool
) -> None:
    savemat(tmp_path / "log.mat", content, do_compression=compress)
    numbers = {"q": 150, "log": 240, "cells": 23, "complex": 44}
    (least,) = (8 * numbers[key] for key in content if key in numbers)
    size = size_in_memory(tmp_path / "log.mat", MOST)
    assert least <= size <= least + 128 * 10


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("of", [1, 2])
def test_a_small_file_that_expands_to_much_is_refused(tmp_path: Path, of: int) -> None:
    numbers = matrix(b"", sides=(10**6, 1), content=element(9, bytes(8 * 10**6)))
    names = element(5, struct.pack("<i", 2)) + element(1, b"q\0") if of == 2 else b""
    packed = compressed(matrix(b"log", of=of, content=names + numbers))
    assert len(packed) < 10_000
    with pytest.raises(RecordingError, match=r"log\.mat: contains numbers of .* bytes"):
        read_table(save(tmp_path / "log.mat", packed), None, "auto")


@pytest.mark.usefixtures("limited")
def test_many_small_numbers_count_as_they_are_in_memory(tmp_path: Path) -> None:
    # bytes in the file, doubles in memory
    numbers = matrix(b"", sides=(MOST // 4, 1), content=element(2, bytes(MOST // 4)))
    path = save(tmp_path / "log.mat", matrix(b"log", of=1, content=numbers))
    assert path.stat().st_size < MOST
    with pytest.raises(RecordingError, match="contains numbers of"):
        read_table(path, None, "auto")


@pytest.mark.parametrize("depth", [40, 2_000])
@pytest.mark.parametrize("packed", [True, False])
def test_deep_structures_are_refused(tmp_path: Path, depth: int, packed: bool) -> None:
    content = nested(depth)
    path = save(tmp_path / "log.mat", compressed(content) if packed else content)
    with pytest.raises(RecordingError, match=r"log\.mat: has structures .* more than 32 levels"):
        read_table(path, None, "auto")


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_files_that_end_early_are_refused(tmp_path: Path, share: float) -> None:
    values = np.random.default_rng(0).normal(size=(30, 4))
    savemat(tmp_path / "log.mat", {"log": {"q": values}}, do_compression=True)
    content = (tmp_path / "log.mat").read_bytes()
    (tmp_path / "log.mat").write_bytes(content[: int(share * len(content))])
    with pytest.raises(RecordingError, match=r"log\.mat"):
        read_table(tmp_path / "log.mat", None, "auto")


@pytest.mark.parametrize("kind", [0, 8, 10, 11, 19, 20, 255, 0xFFFF])
@pytest.mark.parametrize("of", [4, 6, 12])
def test_numbers_of_an_unknown_type_are_refused(tmp_path: Path, kind: int, of: int) -> None:
    path = tmp_path / "log.mat"
    path.write_bytes(HEAD + matrix(b"q", of=of, content=element(kind, bytes(8))))
    with pytest.raises(RecordingError, match=f"log.mat: is damaged.* unknown type {kind}"):
        read_table(path, None, "auto")
