"""Topics and condition of a bag's storage file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from dynid.recording.names import shown

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from dynid.recording.message_block import MessageBlock


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: name, message type and number of readable messages."""

    name: str
    type: str
    messages: int


@dataclass
class Condition:
    """Condition of a storage file.

    Attributes:
        notes: sentences on a file that its recorder did not complete.
        damage: descriptions of its damage.
        expected: number of messages by topic in its index; None if unknown.
        checksums: description of its checksums; empty if there are none.
    """

    notes: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    expected: Counter[str] | None = None
    checksums: str = ""

    def report(self, file: str, topic: str, read: int) -> list[str]:
        """Return sentences on lost messages of a topic.

        Args:
            file: name of the file.
            topic: name of the topic.
            read: number of its readable messages.
        """
        expected = None if self.expected is None else self.expected[topic]
        if not self.damage and expected in (None, read):
            return self.notes
        reasons = "; ".join(self.damage) or "its index and its data disagree"
        messages = f"messages of {shown(topic)}"
        if expected is None:
            outcome = f"{read} {messages} were read, the number of lost ones is unknown"
        elif expected == read:
            outcome = f"all {read} {messages} were read"
        elif expected > read:
            outcome = f"{expected - read} of {expected} {messages} are lost"
        else:
            outcome = f"its index lists {expected} {messages}, but {read} were read"
        return [*self.notes, f"{file} is damaged ({reasons}): {outcome}."]


class StorageFile(Protocol):
    """A scanned storage file."""

    topics: tuple[Topic, ...]
    condition: Condition

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """Yield the raw messages of a topic, in the order of the file."""

    def definition(self, kind: str) -> bytes:
        """Return the definition of a message type, of .msg or Protobuf; empty if unknown."""
