"""Conversion of raw JointState messages to samples, with joints by name in each message."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from dynid.errors import RecordingError
from dynid.limits import RECORDING_JOINTS, RECORDING_MESSAGE_BYTES
from dynid.recording.joint_names import missing_joint
from dynid.recording.joint_state_layout import Bulk, Layouts
from dynid.recording.limits import RecordingTooLargeError, check_memory
from dynid.recording.model import frozen
from dynid.recording.samples import (
    LATEST_STAMP,
    MEMORY_CHECK_INTERVAL,
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


class JointStates:
    """Collector of messages, which returns them as samples.

    A message is used if it contains every wanted joint with position and effort. Other messages of
    the topic, such as those of a gripper or another publisher, are skipped and counted.
    """

    def __init__(self, joints: Sequence[str] | None, where: str) -> None:
        """Begin without messages.

        Args:
            joints: the wanted joints in order; None: those of the first message.
            where: bag and topic in error messages.
        """
        self._wanted = None if joints is None else tuple(joints)
        self._where = where
        # read once, as there are a thousand messages per second
        self._most_bytes, self._most_joints = RECORDING_MESSAGE_BYTES.most, RECORDING_JOINTS.most
        self._layouts = Layouts(self._most_bytes, _deserialized)
        self._rows_of: dict[tuple[str, ...], NDArray[np.intp] | None] = {}
        self._header_times = array("q")
        self._receive_times = array("q")
        # an array for each message would take three times as much memory
        self._signals = {name: array("d") for name in ("position", "velocity", "effort")}
        self._velocities = 0
        self._flaws: list[tuple[int, str]] = []
        self._seen = 0
        self._passed_over = {"joints": 0, "position": 0, "effort": 0}
        self._broken = 0

    def add(self, receive_time: int, raw: bytes) -> None:
        """Add one message.

        A field with another length than the list of names is a flaw of the samples.

        Args:
            receive_time: [ns].
            raw: the message in CDR.

        Raises:
            RecordingError: the message, or all messages together, are too large.
        """
        self._seen += 1
        if len(raw) > self._most_bytes:
            what = f"{self._where}: a message has {len(raw)} bytes"
            RECORDING_MESSAGE_BYTES.refuse(what, RecordingTooLargeError)
        message = _deserialized(raw)
        if message is None:
            self._broken += 1
            return
        stamp = message.header.stamp
        if stamp.nanosec >= NANOSECONDS or receive_time > LATEST_STAMP:
            self._broken += 1
            return
        names = tuple(message.name)
        rows = self._rows(names)
        if rows is None:
            self._passed_over["joints"] += 1
            return
        for signal in ("position", "effort"):
            if len(getattr(message, signal)) == 0:
                self._passed_over[signal] += 1
                return
        self._take_values(message, rows, len(names))
        self._header_times.append(stamp.sec * int(NANOSECONDS) + stamp.nanosec)
        self._receive_times.append(receive_time)
        if len(self._header_times) % MEMORY_CHECK_INTERVAL == 0:
            check_memory(len(self._header_times), len(rows), self._where)

    def add_block(self, block: MessageBlock) -> None:
        """Add many messages, with the same result as :meth:`add` for each of them.

        Raises:
            RecordingError: as for :meth:`add`.
        """
        for part in block.parts():
            self._add_part(part)

    def _add_part(self, part: MessageBlock) -> None:
        # a new layout is found from a message that is read by itself, as is any other message
        begin, total = 0, len(part.times)
        bulk = self._layouts.group(part)
        for single in [*np.flatnonzero(bulk.kinds < 0).tolist(), total]:
            if begin < single and self._wanted is None:
                self._add_one(part, begin)
                begin += 1
            if begin < single:
                self._add_bulk(bulk, begin, single)
            if single < total:
                self._add_one(part, single)
            begin = single + 1

    def _add_one(self, part: MessageBlock, number: int) -> None:
        begin, end = int(part.begins[number]), int(part.ends[number])
        self.add(int(part.times[number]), part.content[begin:end])

    def _add_bulk(self, bulk: Bulk, first: int, past: int) -> None:
        """Add messages of known layouts."""
        count, joints = past - first, len(self._wanted or ())
        kept = np.zeros(count, dtype=bool)
        stamps = np.empty(count, dtype=np.int64)
        signals = {name: np.full((count, joints), np.nan) for name in self._signals}
        for layout, places, messages in bulk.between(first, past):
            seconds, nanoseconds = layout.stamps(messages)
            valid = (nanoseconds < NANOSECONDS) & (bulk.times[places] <= LATEST_STAMP)
            self._broken += int((~valid).sum())
            rows = self._rows(layout.names)
            if rows is None:
                self._passed_over["joints"] += int(valid.sum())
                continue
            rows_of_block = places[valid] - first
            kept[rows_of_block] = True
            stamps[places - first] = seconds * int(NANOSECONDS) + nanoseconds
            for name, values in signals.items():
                decoded = layout.values(messages, name)
                if decoded is not None:
                    values[rows_of_block] = decoded[np.ix_(valid, rows)]
                    self._velocities += len(rows_of_block) if name == "velocity" else 0
        self._seen += count
        self._header_times.frombytes(stamps[kept].tobytes())
        received = bulk.times[first:past][kept].astype(np.int64)
        self._receive_times.frombytes(received.tobytes())
        for name, values in signals.items():
            self._signals[name].frombytes(values[kept].tobytes())
        check_memory(len(self._header_times), joints, self._where)

    def _take_values(self, message: Any, rows: NDArray[np.intp], names: int) -> None:
        for signal, kept in self._signals.items():
            values = getattr(message, signal)
            if len(values) == names:
                self._velocities += signal == "velocity"
                kept.frombytes(np.asarray(values[rows], dtype=np.float64).tobytes())
                continue
            kept.frombytes(np.full(len(rows), np.nan).tobytes())
            if len(values):
                self._velocities += signal == "velocity"
                sentence = (
                    f"{self._where}: message {self._seen} has {len(values)} {signal} values "
                    f"for {names} names; expected one for each."
                )
                self._flaws.append((len(self._header_times), sentence))
                if len(self._flaws) > _MOST_FLAWS:
                    raise RecordingError(self._flaws[0][1])

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

    def _rows(self, names: tuple[str, ...]) -> NDArray[np.intp] | None:
        """Return the indices of the wanted joints in a message's names; None if one is missing."""
        if self._wanted is None and names:
            self._wanted = names
        if names in self._rows_of:
            return self._rows_of[names]
        if len(names) > self._most_joints:
            what = f"{self._where}: a message names {len(names)} joints"
            RECORDING_JOINTS.refuse(what, RecordingTooLargeError)
        wanted = self._wanted or ()
        complete = bool(wanted) and set(wanted) <= set(names)
        rows = np.array([names.index(joint) for joint in wanted]) if complete else None
        if len(self._rows_of) < _MOST_ORDERS:
            self._rows_of[names] = rows
        return rows

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
        available = list(dict.fromkeys(name for names in self._rows_of for name in names))
        if not set(self._wanted or ()) <= set(available):
            return missing_joint(self._where, self._wanted or (), available)
        return (
            f"{self._where}: no single message contains all of {', '.join(self._wanted or ())}; "
            "they are in several messages with different times."
        )


def _deserialized(raw: bytes) -> Any:
    """Return a message; None if its bytes are none."""
    try:
        return _TYPES.deserialize_cdr(raw, JOINT_STATE)
    # damaged bytes can raise any exception
    except Exception:  # noqa: BLE001
        return None
