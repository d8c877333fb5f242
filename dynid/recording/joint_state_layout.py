"""Places of the values in serialized JointState messages that have the same layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dynid.recording.storage import MessageBlock

    Bytes = NDArray[np.uint8]
    Group = tuple["JointStateLayout", NDArray[np.intp], Bytes]

_ENCAPSULATION = b"\x00\x01\x00\x00"  # CDR, little endian; alignment counts from after it
_STAMP = 4  # place of the seconds, and of the nanoseconds after them
_MOST_ATTEMPTS = 100  # to find a layout, as every damaged message could lead to another one
_SIGNALS = ("position", "velocity", "effort")


@dataclass(frozen=True, eq=False)
class JointStateLayout:
    """Layout of a message: all messages with these fixed bytes have their values at these places.

    Attributes:
        names: of the joints, n of them.
        length: of the message [bytes].
        fixed: places of the bytes that state names and lengths of fields.
        content: these bytes.
        starts: place of each signal's first value; None where the message has none.
    """

    names: tuple[str, ...]
    length: int
    fixed: NDArray[np.intp]
    content: Bytes
    starts: dict[str, int | None]

    def matches(self, messages: Bytes) -> NDArray[np.bool_]:
        """Return which of the messages (k, length) have this layout."""
        return np.asarray((messages[:, self.fixed] == self.content).all(axis=1))

    def stamps(self, messages: Bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return seconds and nanoseconds (k,) of the header's stamps."""
        stamps = _values(messages, _STAMP, "<i4", 2)
        nanoseconds = np.ascontiguousarray(stamps[:, 1]).view("<u4")
        return stamps[:, 0].astype(np.int64), nanoseconds.astype(np.int64)

    def values(self, messages: Bytes, signal: str) -> NDArray[np.float64] | None:
        """Return a signal (k, n); None if the messages have none."""
        start = self.starts[signal]
        return None if start is None else _values(messages, start, "<f8", len(self.names))


class Layouts:
    """The layouts of the messages so far."""

    def __init__(self, longest: int, deserialized: Callable[[bytes], Any]) -> None:
        """Begin without layouts; messages beyond ``longest`` bytes are read by themselves."""
        self._longest, self._deserialized = longest, deserialized
        self._known: dict[int, list[JointStateLayout]] = {}
        self._attempts = 0

    def group(self, block: MessageBlock) -> tuple[list[Group], NDArray[np.intp]]:
        """Return messages by known and new layouts, and which must be read by themselves.

        Returns:
            Layout, numbers (m,) and bytes (m, length) of each group; and the other numbers.
        """
        lengths = block.ends - block.begins
        single = np.ones(len(lengths), dtype=bool)
        groups: list[Group] = []
        for length in np.unique(lengths[lengths <= self._longest]).tolist():
            places = np.flatnonzero(lengths == length)
            rows = block.rows(places, length)
            for layout, same in self._matching(length, rows):
                single[places[same]] = False
                groups.append((layout, places[same], rows[same]))
        return groups, np.flatnonzero(single)

    def _matching(
        self, length: int, rows: Bytes
    ) -> Iterator[tuple[JointStateLayout, NDArray[np.bool_]]]:
        """Yield known layouts of messages (k, length) and new ones, and which have them."""
        known = self._known.setdefault(length, [])
        left = np.ones(len(rows), dtype=bool)
        for layout in known:
            same = left & layout.matches(rows)
            left &= ~same
            if same.any():
                yield layout, same
        while left.any() and self._attempts < _MOST_ATTEMPTS:
            self._attempts += 1
            first = int(np.argmax(left))
            raw = rows[first].tobytes()
            message = self._deserialized(raw)
            new = None if message is None else find_layout(raw, message)
            left[first] = False
            if new is not None:
                known.append(new)
                same = left & new.matches(rows)
                same[first] = True
                left &= ~same
                yield new, same


def find_layout(raw: bytes, message: Any) -> JointStateLayout | None:
    """Return the layout of a message in CDR; None if it is none of those that are read in bulk.

    These have position and effort for every name, and velocity for every name or none.
    """
    names = tuple(message.name)
    lengths = [len(getattr(message, signal)) for signal in _SIGNALS]
    count = len(names)
    if raw[:4] != _ENCAPSULATION or not count or lengths not in ([count] * 3, [count, 0, count]):
        return None
    fixed = [*range(4)]
    place = _text(fixed, _STAMP + 8, message.header.frame_id)
    place = _number(fixed, place)
    for name in names:
        place = _text(fixed, place, name)
    starts: dict[str, int | None] = {}
    for signal, length in zip(_SIGNALS, lengths, strict=True):
        place = _number(fixed, place)
        starts[signal] = _aligned(place, 8) if length else None
        place = _aligned(place, 8) + 8 * length if length else place
    where = np.array(fixed)
    layout = JointStateLayout(
        names, len(raw), where, np.frombuffer(raw, dtype=np.uint8)[where], starts
    )
    return layout if place <= len(raw) and _agree(layout, raw, message) else None


def _agree(layout: JointStateLayout, raw: bytes, message: Any) -> bool:
    content = np.frombuffer(raw, dtype=np.uint8)[np.newaxis]
    decoded = [layout.values(content, signal) for signal in _SIGNALS]
    given = [getattr(message, signal) for signal in _SIGNALS]
    return all(
        values is None or values.tobytes() == np.asarray(other).tobytes()
        for values, other in zip(decoded, given, strict=True)
    )


def _values(messages: Bytes, start: int, kind: str, count: int) -> NDArray[Any]:
    size = np.dtype(kind).itemsize * count
    return np.ascontiguousarray(messages[:, start : start + size]).view(kind)


def _number(fixed: list[int], place: int) -> int:
    """Add a length to the fixed bytes; return the place after it."""
    start = _aligned(place, 4)
    fixed.extend(range(start, start + 4))
    return start + 4


def _text(fixed: list[int], place: int, text: str) -> int:
    """Add a text to the fixed bytes; return the place after its closing zero."""
    start = _number(fixed, place)
    past = start + len(text.encode()) + 1
    fixed.extend(range(start, past))
    return past


def _aligned(place: int, size: int) -> int:
    offset = len(_ENCAPSULATION)
    return offset + (place - offset + size - 1) // size * size
