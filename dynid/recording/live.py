"""Collection of live JointState messages, and their recording."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.corrections import Correction
from dynid.recording.joint_names import recorded_names
from dynid.recording.jointstate import JointStates
from dynid.recording.model import Recording, Source
from dynid.recording.samples import NANOSECONDS
from dynid.recording.storage import MessageBlock
from dynid.recording.timeline import build_recording

MOST_BYTES = 1_000_000_000
"""Largest memory of messages."""


class LiveMessages:
    """Collector of a topic's messages, which are not decoded before the end of the motion.

    This is fast and needs little memory, and the joints may be chosen at the end.
    """

    def __init__(self, topic: str, *, longest: float, most_bytes: int = MOST_BYTES) -> None:
        """Begin without messages of a topic.

        Args:
            topic: the topic.
            longest: time between the first and the last reception [s].
            most_bytes: of all messages together.
        """
        self._topic = topic
        self._longest = longest
        self._most_bytes = most_bytes
        self._content = bytearray()
        self._ends = array("q")  # of each message in the content
        self._receive_times = array("q")
        self.lost = 0
        """Messages that were published but not received, as far as known."""
        self.full = ""
        """Sentence on why no more messages are collected; empty otherwise."""

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self._ends)

    def __str__(self) -> str:
        """Return number and duration of the messages as text."""
        lost = f", {self.lost} lost on the way" if self.lost else ""
        return f"{len(self)} messages of {self._topic} in {self.seconds:.1f} s{lost}"

    @property
    def seconds(self) -> float:
        """Time between the first and the last reception [s]."""
        times = self._receive_times
        return (times[-1] - times[0]) / NANOSECONDS if times else 0.0

    def add(self, receive_time: int, raw: bytes) -> None:
        """Add one message in CDR, received at a time [ns], unless a limit is reached."""
        if self.full:
            return
        late = self._receive_times and (
            receive_time - self._receive_times[0] > self._longest * NANOSECONDS
        )
        if late:
            self.full = (
                f"{self._topic}: collecting stopped automatically after {self._longest:g} s, the "
                f"longest allowed time; {len(self)} messages were kept."
            )
        elif len(self._content) + len(raw) > self._most_bytes:
            self.full = (
                f"{self._topic}: collecting stopped automatically at "
                f"{self._most_bytes / 1e6:.3g} MB; {len(self)} messages were kept, "
                f"{self.seconds:.1f} s."
            )
        else:
            self._content += raw
            self._ends.append(len(self._content))
            self._receive_times.append(receive_time)

    def recording(
        self,
        joints: Sequence[str] | None,
        *,
        names: Mapping[str, str] | None = None,
        sampling_rate: float | None = None,
        start: float | None = None,
        stop: float | None = None,
        corrections: Sequence[Correction] = (),
    ) -> Recording:
        """Return the recording, as :func:`dynid.recording.load_recording` reads it from a bag.

        Args:
            joints: the wanted joints in order; None: those of the first message.
            names: URDF's name by the name in the messages, where they differ.
            sampling_rate: [Hz]; None: the rate of the messages.
            start: [s] since the first message; None: the beginning.
            stop: [s] since the first message; None: the end.
            corrections: of the joints' signals.

        Raises:
            RecordingError: the messages cannot be converted to a recording.
            PreprocessingError: the span does not fit them.
        """
        if not self._ends:
            raise RecordingError(f"topic {self._topic}, live: no message was collected.")
        recorded = None if joints is None else recorded_names(joints, names or {})
        states = JointStates(recorded, f"topic {self._topic}, live")
        ends = np.array(self._ends)
        begins = np.concatenate([[0], ends[:-1]])
        times = np.array(self._receive_times)
        states.add_block(MessageBlock(self._content, times, begins, ends))
        samples = states.samples()
        source = Source(
            name=f"topic {self._topic}, live",
            sha256=hashlib.sha256(self._content).hexdigest(),
            kind="live",
            topic=self._topic,
            start_time=int(samples.stamps[0]),
        )
        joint_names = samples.joint_names if joints is None else tuple(joints)
        samples = replace(samples, sources=(source,), joint_names=joint_names)
        if self.lost:
            samples = samples.noting(f"{self.lost} messages were published but not received.")
        if self.full:
            samples = samples.noting(self.full)
        return build_recording(
            samples, start=start, stop=stop, sampling_rate=sampling_rate, corrections=corrections
        )
