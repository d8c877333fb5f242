"""Conversion of raw JointState messages to samples, with joints by name in each message."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rosbags.typesys import Stores, get_typestore

from dynid.errors import RecordingError
from dynid.limits import RECORDING_JOINTS, RECORDING_MESSAGE_BYTES
from dynid.recording.joint_names import missing_joint
from dynid.recording.joint_state_layout import JointStateLayout, Layouts
from dynid.recording.limits import RecordingTooLargeError, check_memory
from dynid.recording.model import frozen
from dynid.recording.samples import (
    LATEST_STAMP,
    NANOSECONDS,
    Flaw,
    Samples,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.recording.storage import MessageBlock

JOINT_STATE = "sensor_msgs/msg/JointState"
_TYPES = get_typestore(Stores.ROS2_JAZZY)
_MOST_FLAWS = 1000
_MOST_ORDERS = 1000  # of joints, that are cached


class NoJointStatesError(RecordingError):
    """No message of the topic has position and effort of all joints."""


class _Rows(NamedTuple):
    """Of k messages: which are kept, their stamps [ns], and values (k, n) by signal."""

    kept: NDArray[np.bool_]
    stamps: NDArray[np.int64]
    signals: dict[str, NDArray[np.float64]]


class JointStates:
    """Collector of messages, which returns them as samples.

    A message is used if it contains every wanted joint with position and effort. Other messages of
    the topic, such as those of a gripper or another publisher, are skipped and counted.
    """

    def __init__(self, joints: Sequence[str] | None, where: str) -> None:
        """Begin without messages, with the wanted joints; None: those of the first message."""
        self._wanted = None if joints is None else tuple(joints)
        self._where = where
        # read once, as there are a thousand messages per second
        self._most_bytes, self._most_joints = RECORDING_MESSAGE_BYTES.most, RECORDING_JOINTS.most
        self._layouts = Layouts(self._most_bytes, _deserialized)
        self._columns_of: dict[tuple[str, ...], NDArray[np.intp] | None] = {}
        self._header_times = array("q")
        self._receive_times = array("q")
        # an array for each message would take three times as much memory
        self._signals = {name: array("d") for name in ("position", "velocity", "effort")}
        self._velocities = 0
        self._flaws: list[tuple[int, str]] = []
        self._seen = 0
        self._passed_over = {"joints": 0, "position": 0, "effort": 0}
        self._broken = 0

    def add_block(self, block: MessageBlock) -> None:
        """Add messages, of which those of the same layout are read all at once.

        A field with another length than the list of names is a flaw of the samples.

        Raises:
            RecordingError: a message, or all messages together, are too large.
        """
        for part in block.parts():
            if self._wanted is None:
                self._take_joints(part)
            self._add_part(part)

    def _take_joints(self, part: MessageBlock) -> None:
        for time, raw in part.messages():
            message = None if len(raw) > self._most_bytes else _valid(raw, time)
            if message is not None and message.name:
                self._wanted = tuple(message.name)
                self._columns(self._wanted)
                return

    def _add_part(self, part: MessageBlock) -> None:
        count, joints = len(part.times), len(self._wanted or ())
        rows = _Rows(
            np.zeros(count, dtype=bool),
            np.zeros(count, dtype=np.int64),
            {name: np.full((count, joints), np.nan) for name in self._signals},
        )
        groups, singles = self._layouts.group(part)
        for layout, places, messages in groups:
            self._read_group(rows, places, layout, messages, part.times[places] <= LATEST_STAMP)
        for place in singles.tolist():
            self._read_one(rows, place, *part.message(place))
        self._seen += count
        self._header_times.frombytes(rows.stamps[rows.kept].tobytes())
        self._receive_times.frombytes(part.times[rows.kept].astype(np.int64).tobytes())
        for name, values in rows.signals.items():
            self._signals[name].frombytes(values[rows.kept].tobytes())
        check_memory(len(self._header_times), joints, self._where)

    def _read_group(
        self,
        rows: _Rows,
        places: NDArray[np.intp],
        layout: JointStateLayout,
        messages: NDArray[np.uint8],
        received: NDArray[np.bool_],
    ) -> None:
        """Read messages (m, length) of one layout, of which those not ``received`` are damaged."""
        seconds, nanoseconds = layout.stamps(messages)
        valid = (nanoseconds < NANOSECONDS) & received
        self._broken += int((~valid).sum())
        columns = self._columns(layout.names)
        if columns is None:
            self._passed_over["joints"] += int(valid.sum())
            return
        rows.kept[places[valid]] = True
        rows.stamps[places] = seconds * int(NANOSECONDS) + nanoseconds
        for name, values in rows.signals.items():
            decoded = layout.values(messages, name)
            if decoded is not None:
                values[places[valid]] = decoded[np.ix_(valid, columns)]
                self._velocities += int(valid.sum()) if name == "velocity" else 0

    def _read_one(self, rows: _Rows, place: int, receive_time: int, raw: bytes) -> None:
        if len(raw) > self._most_bytes:
            what = f"{self._where}: a message has {len(raw)} bytes"
            RECORDING_MESSAGE_BYTES.refuse(what, RecordingTooLargeError)
        message = _valid(raw, receive_time)
        if message is None:
            self._broken += 1
            return
        columns, names = self._columns(tuple(message.name)), len(message.name)
        empty = [signal for signal in ("position", "effort") if not len(getattr(message, signal))]
        if columns is None or empty:
            self._passed_over["joints" if columns is None else empty[0]] += 1
            return
        for signal, values in rows.signals.items():
            given = getattr(message, signal)
            self._velocities += signal == "velocity" and len(given) > 0
            if len(given) == names:
                values[place] = given[columns]
            elif len(given):
                self._add_flaw(
                    len(self._header_times) + int(rows.kept[:place].sum()),
                    f"{self._where}: message {self._seen + place + 1} has {len(given)} {signal} "
                    f"values for {names} names; expected one for each.",
                )
        rows.kept[place] = True
        stamp = message.header.stamp
        rows.stamps[place] = stamp.sec * int(NANOSECONDS) + stamp.nanosec

    def _add_flaw(self, row: int, sentence: str) -> None:
        self._flaws.append((row, sentence))
        if len(self._flaws) > _MOST_FLAWS:
            raise RecordingError(self._flaws[0][1])

    def __len__(self) -> int:
        """Return the number of messages that are used."""
        return len(self._header_times)

    def samples(self) -> Samples:
        """Return the collected samples, without sources.

        Raises:
            NoJointStatesError: no message contains the required joints and fields.
        """
        if not self._header_times:
            raise NoJointStatesError(self._why_nothing())
        repairs = self._notes()
        count = len(self._header_times)
        wanted = self._wanted or ()
        check_memory(count, len(wanted), self._where)
        if 0 < self._velocities < count:
            repairs.append(
                f"{count - self._velocities} of {count} messages had no velocity, so velocity was "
                "ignored."
            )
        stamps = np.array(self._header_times, dtype=np.int64)
        if not stamps.any():
            stamps = np.array(self._receive_times, dtype=np.int64)
            repairs.append(
                f"All {count} header stamps were zero; the times of reception were used instead."
            )
        signals = {
            name: frozen(np.ndarray((count, len(wanted)), np.float64, values))
            for name, values in self._signals.items()
        }
        return Samples(
            stamps=stamps,
            position=signals["position"],
            velocity=signals["velocity"] if self._velocities == count else None,
            effort=signals["effort"],
            joint_names=wanted,
            sources=(),
            repairs=tuple(repairs),
            flaws=tuple(Flaw(int(stamps[row]), sentence) for row, sentence in self._flaws),
        )

    def _columns(self, names: tuple[str, ...]) -> NDArray[np.intp] | None:
        """Return the indices of the wanted joints in a message's names; None if one is missing."""
        if names in self._columns_of:
            return self._columns_of[names]
        if len(names) > self._most_joints:
            what = f"{self._where}: a message names {len(names)} joints"
            RECORDING_JOINTS.refuse(what, RecordingTooLargeError)
        wanted = self._wanted or ()
        complete = bool(wanted) and set(wanted) <= set(names)
        columns = np.array([names.index(joint) for joint in wanted]) if complete else None
        if len(self._columns_of) < _MOST_ORDERS:
            self._columns_of[names] = columns
        return columns

    def _notes(self) -> list[str]:
        notes = [
            f"{count} of {self._seen} messages {lack} and were skipped."
            for count, lack in (
                (self._passed_over["joints"], "did not contain all joints"),
                (self._passed_over["position"], "had no position"),
                (self._passed_over["effort"], "had no effort"),
            )
            if count
        ]
        if self._broken:
            notes.append(
                f"{self._broken} of {self._seen} messages could not be decoded and were dropped."
            )
        return notes

    def _why_nothing(self) -> str:
        if not self._seen:
            return f"{self._where}: contains no messages."
        if self._broken == self._seen:
            return f"{self._where}: none of {self._seen} messages could be decoded."
        for signal in ("effort", "position"):
            if self._passed_over[signal]:
                return (
                    f"{self._where}: the {signal} field is empty in all messages with the joints "
                    f"{', '.join(self._wanted or ())}; the publisher must fill it in."
                )
        available = list(dict.fromkeys(name for names in self._columns_of for name in names))
        if not set(self._wanted or ()) <= set(available):
            return missing_joint(self._where, self._wanted or (), available)
        return (
            f"{self._where}: no single message contains all of {', '.join(self._wanted or ())}; "
            "they are in several messages with different times."
        )


def _valid(raw: bytes, receive_time: int) -> Any:
    """Return a message; None if it is damaged, as its bytes or times show."""
    message = _deserialized(raw)
    if message is None or message.header.stamp.nanosec >= NANOSECONDS:
        return None
    return message if receive_time <= LATEST_STAMP else None


def _deserialized(raw: bytes) -> Any:
    """Return a message; None if its bytes are none."""
    try:
        return _TYPES.deserialize_cdr(raw, JOINT_STATE)
    # damaged bytes can raise any exception
    except Exception:  # noqa: BLE001
        return None
