"""From raw JointState messages to samples: joints by name, in every message anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from dynid.errors import RecordingError
from dynid.recording.samples import NANOSECONDS, Samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

JOINT_STATE = "sensor_msgs/msg/JointState"
_TYPES = get_typestore(Stores.ROS2_JAZZY)


class JointStates:
    """Collects messages, then gives them as samples.

    A message counts if it carries every wanted joint, with position and effort; others on the
    topic (a gripper's, another publisher's) are passed over and counted.
    """

    def __init__(self, joints: Sequence[str] | None, where: str) -> None:
        """Wait for messages.

        Args:
            joints: the wanted joints in their order; None for those of the first message.
            where: names bag and topic in error messages.
        """
        self._wanted = None if joints is None else tuple(joints)
        self._where = where
        self._rows_of: dict[tuple[str, ...], NDArray[np.intp] | None] = {}
        self._header_times: list[int] = []
        self._receive_times: list[int] = []
        self._signals: dict[str, list[NDArray[np.float64]]] = {
            "position": [],
            "velocity": [],
            "effort": [],
        }
        self._seen = 0
        self._passed_over = {"joints": 0, "position": 0, "effort": 0}
        self._broken = 0

    def add(self, receive_time: int, raw: bytes) -> None:
        """Take one message in.

        Args:
            receive_time: [ns].
            raw: the message in CDR.

        Raises:
            RecordingError: a field has another length than the list of names.
        """
        self._seen += 1
        try:
            message: Any = _TYPES.deserialize_cdr(raw, JOINT_STATE)
        # damaged bytes raise whatever they happen to run into
        except Exception:  # noqa: BLE001
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
        stamp = message.header.stamp
        for signal, kept in self._signals.items():
            values = getattr(message, signal)
            if len(values) == len(names):
                kept.append(values[rows])
            elif len(values):
                raise RecordingError(
                    f"{self._where}: message {self._seen} has {len(values)} {signal} values "
                    f"for {len(names)} names; expected one for each."
                )
        self._header_times.append(stamp.sec * int(NANOSECONDS) + stamp.nanosec)
        self._receive_times.append(receive_time)

    def samples(self) -> Samples:
        """The collected samples, without sources.

        Raises:
            RecordingError: no message carries what is needed.
        """
        if not self._header_times:
            raise RecordingError(self._why_nothing())
        repairs = self._told()
        count = len(self._header_times)
        velocities = len(self._signals["velocity"])
        if 0 < velocities < count:
            repairs.append(
                f"{count - velocities} of {count} messages had no velocity; it was left out."
            )
        stamps = np.array(self._header_times, dtype=np.int64)
        if not stamps.any():
            stamps = np.array(self._receive_times, dtype=np.int64)
            repairs.append(
                f"All {count} header stamps were zero; the times of reception were used instead."
            )
        return Samples(
            stamps=stamps,
            position=np.array(self._signals["position"], dtype=np.float64),
            velocity=(
                np.array(self._signals["velocity"], dtype=np.float64)
                if velocities == count
                else None
            ),
            effort=np.array(self._signals["effort"], dtype=np.float64),
            joint_names=self._wanted or (),
            sources=(),
            repairs=tuple(repairs),
        )

    def _rows(self, names: tuple[str, ...]) -> NDArray[np.intp] | None:
        """Where the wanted joints are among a message's names; None if one is not."""
        if self._wanted is None and names:
            self._wanted = names
        if names not in self._rows_of:
            wanted = self._wanted or ()
            complete = bool(wanted) and set(wanted) <= set(names)
            self._rows_of[names] = (
                np.array([names.index(joint) for joint in wanted]) if complete else None
            )
        return self._rows_of[names]

    def _told(self) -> list[str]:
        told = [
            f"{count} of {self._seen} messages {lack} and were passed over."
            for count, lack in (
                (self._passed_over["joints"], "did not carry all joints"),
                (self._passed_over["position"], "had no position"),
                (self._passed_over["effort"], "had no effort"),
            )
            if count
        ]
        if self._broken:
            told.append(
                f"{self._broken} of {self._seen} messages could not be decoded and were dropped."
            )
        return told

    def _why_nothing(self) -> str:
        if not self._seen:
            return f"{self._where}: holds no messages."
        if self._broken == self._seen:
            return f"{self._where}: none of {self._seen} messages could be decoded."
        for signal in ("effort", "position"):
            if self._passed_over[signal]:
                return (
                    f"{self._where}: the {signal} field is empty in all messages with the joints "
                    f"{', '.join(self._wanted or ())}; the publisher must fill it in."
                )
        available = list(dict.fromkeys(name for names in self._rows_of for name in names))
        absent = [joint for joint in self._wanted or () if joint not in available]
        if absent:
            return (
                f"{self._where}: joint '{absent[0]}' is absent; available are "
                f"{', '.join(available) or 'none'}."
            )
        return (
            f"{self._where}: no single message carries all of {', '.join(self._wanted or ())}; "
            "they are spread over several messages, whose times differ."
        )
