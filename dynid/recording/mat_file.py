"""Sizes of MATLAB's MAT-files of level 5, before scipy reads them.

Variables may be compressed, and structures and cells contain others: a small file can expand to
more than the memory, and structures in structures end a recursive reader. Here, compressed data are
expanded piece by piece, and nested elements are walked without recursion.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from dynid.errors import RecordingError

_HEAD = 128  # bytes of the header, which ends in the byte order
_MATRIX, _COMPRESSED = 14, 15
_CONTAINERS = (1, 2, 3)  # classes cell, struct and object
_NUMBERS = frozenset({*range(1, 8), 9, 12, 13, 16, 17, 18})  # types of data, also of texts
_NUMERIC = range(4, 16)  # classes of texts, sparse and numeric arrays
_NUMBERS_AT = slice(3, 5)  # elements of a variable after flags, sides and name: real, imaginary
_COMPLEX = 0x0800  # flag of an array with imaginary parts
_DEEPEST = 32  # levels of structures
_PIECE = 1 << 20  # bytes expanded at once
_OBJECT = 128  # bytes of an array besides its numbers


def size_in_memory(path: Path, most: int) -> int:
    """Return how many bytes the arrays of a MAT-file take in memory; 0 for older levels.

    Beyond ``most`` bytes the rest is not expanded.

    Raises:
        RecordingError: structures are nested too deep, or numbers have no type.
    """
    if path.stat().st_size > most:
        return path.stat().st_size
    data = path.read_bytes()
    order = {b"IM": "<", b"MI": ">"}.get(data[_HEAD - 2 : _HEAD])
    if order is None:
        return 0
    total = 0
    for kind, content in _elements(memoryview(data)[_HEAD:], order):
        if kind == _COMPRESSED:
            expanded = _expanded(content, most)
            if len(expanded) > most:
                return len(expanded)
            inside = list(_elements(memoryview(expanded), order))[:1]
        else:
            inside = [(kind, content)]
        total += sum(_size(part, order) for kind, part in inside if kind == _MATRIX)
        if total > most:
            break
    return total


def _expanded(content: memoryview, most: int) -> bytes:
    """Return expanded data, a piece beyond ``most`` at most; damaged data end early."""
    parts, size, expander = [], 0, zlib.decompressobj()
    rest: bytes | memoryview = content
    while len(rest) and size <= most and not expander.eof:
        try:
            part = expander.decompress(rest, _PIECE)
        except zlib.error:  # which scipy reports
            break
        rest = expander.unconsumed_tail
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Yield type and content of the elements in data, until one is not complete."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:  # a small element: size and type in four bytes, content in the next four
            kind, size, start, past = kind & 0xFFFF, kind >> 16, at + 4, at + 8
        else:
            start, past = at + 8, at + 8 + size
        if start + size > len(data):
            yield kind, data[start:]
            return
        yield kind, data[start : start + size]
        # only compressed elements are not filled up to eight bytes
        at = past if kind == _COMPRESSED else past + -past % 8


def _size(variable: memoryview, order: str) -> int:
    """Return the bytes of a variable, and of all in it; refuse one that is nested too deep."""
    total, left = 0, [(variable, 1)]
    while left:
        content, depth = left.pop()
        if depth > _DEEPEST:
            raise RecordingError(f"has structures that are nested more than {_DEEPEST} levels deep")
        parts = list(_elements(content, order))
        flags, sides = (_integers(part, order) for _, part in parts[:2]) if parts[1:] else ((), ())
        flag = flags[0] if flags else 0
        total += _OBJECT
        if flag & 0xFF in _CONTAINERS:
            left += [(part, depth + 1) for kind, part in parts if kind == _MATRIX]
        else:
            _refuse_unknown(flag & 0xFF, parts)
            total += 8 * math.prod(sides) * (2 if flag & _COMPLEX else 1)
    return total


def _refuse_unknown(kind: int, parts: list[tuple[int, memoryview]]) -> None:
    """Refuse numbers of an unknown type, with which scipy reads outside of a table."""
    for data_type, _ in parts[_NUMBERS_AT] if kind in _NUMERIC else ():
        if data_type not in _NUMBERS:
            raise RecordingError(f"is damaged: it has numbers of the unknown type {data_type}")


def _integers(data: memoryview, order: str) -> tuple[int, ...]:
    count = len(data) // 4
    return struct.unpack(f"{order}{count}I", data[: 4 * count])
