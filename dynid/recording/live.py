"""Raw JointState messages as they arrive, and the recording that a bag of them would be."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from dynid.errors import RecordingError
from dynid.recording.jointstate import JointStates
from dynid.recording.model import Source
from dynid.recording.samples import NANOSECONDS
from dynid.recording.timeline import build_recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.recording.model import Recording

MOST_BYTES = 1_000_000_000
"""What messages may take in memory, whatever their rate and however their times stand still."""


class LiveMessages:
    """Collects the messages of a topic, undecoded: that is quick, and takes the least memory.

    Decoding them waits until the motion is over, and which joints are wanted may be said then.
    """

    def __init__(self, topic: str, *, longest: float, most_bytes: int = MOST_BYTES) -> None:
        """Wait for messages.

        Args:
            topic: where they come from.
            longest: [s] between the times of reception of the first and the last.
            most_bytes: of all messages together.
        """
        self._topic = topic
        self._longest = longest
        self._most_bytes = most_bytes
        self._content = bytearray()
        self._ends = array("q")  # of each message in the content
        self._receive_times = array("q")
        self.lost = 0
        """Messages that were published and never came, as far as the middleware knows."""
        self.full = ""
        """Why nothing more is taken in, as a sentence; empty while there is room."""

    def __len__(self) -> int:
        """The number of messages."""
        return len(self._ends)

    def __str__(self) -> str:
        """How much there is, in words."""
        lost = f", {self.lost} lost on the way" if self.lost else ""
        return f"{len(self)} messages of {self._topic} in {self.seconds:.1f} s{lost}"

    @property
    def seconds(self) -> float:
        """The time that has been received [s]."""
        times = self._receive_times
        return (times[-1] - times[0]) / NANOSECONDS if times else 0.0

    def add(self, receive_time: int, raw: bytes) -> None:
        """Take one message in, while there is room.

        Args:
            receive_time: [ns].
            raw: the message in CDR.
        """
        if self.full:
            return
        late = self._receive_times and (
            receive_time - self._receive_times[0] > self._longest * NANOSECONDS
        )
        if late:
            self.full = (
                f"{self._topic}: collecting stopped by itself after {self._longest:g} s, the "
                f"longest that is allowed; {len(self)} messages were kept."
            )
        elif len(self._content) + len(raw) > self._most_bytes:
            self.full = (
                f"{self._topic}: collecting stopped by itself at {self._most_bytes / 1e6:.3g} MB; "
                f"{len(self)} messages were kept, {self.seconds:.1f} s."
            )
        else:
            self._content += raw
            self._ends.append(len(self._content))
            self._receive_times.append(receive_time)

    def recording(
        self,
        joints: Sequence[str] | None,
        *,
        sampling_rate: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Recording:
        """The recording that :func:`dynid.recording.load_recording` makes of a bag of them.

        Args:
            joints: the wanted joints in their order; None for those of the first message.
            sampling_rate: [Hz]; None for the rate that the messages show.
            start: [s] since the first message; None for the beginning.
            stop: [s] since the first message; None for the end.

        Raises:
            RecordingError: the messages do not make a recording.
            PreprocessingError: the span does not fit them.
        """
        if not self._ends:
            raise RecordingError(f"topic {self._topic}, live: no message was collected.")
        states = JointStates(joints, f"topic {self._topic}, live")
        begin = 0
        with memoryview(self._content) as content:
            for receive_time, end in zip(self._receive_times, self._ends, strict=True):
                states.add(receive_time, bytes(content[begin:end]))
                begin = end
        samples = states.samples()
        source = Source(
            name=f"topic {self._topic}, live",
            sha256=hashlib.sha256(self._content).hexdigest(),
            kind="live",
            topic=self._topic,
            start_time=int(samples.stamps[0]),
        )
        samples = replace(samples, sources=(source,))
        if self.lost:
            samples = samples.noting(f"{self.lost} messages were published but never came.")
        if self.full:
            samples = samples.noting(self.full)
        return build_recording(samples, start=start, stop=stop, sampling_rate=sampling_rate)
