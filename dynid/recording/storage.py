"""What a storage file of a bag holds, and what it has lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: its name, message type and number of messages that can be read."""

    name: str
    type: str
    messages: int


@dataclass
class Condition:
    """In what condition a storage file is.

    Attributes:
        notes: sentences on a file that its recorder did not complete.
        damage: what is wrong with it, in words.
        expected: messages that it should hold, by topic, as far as it tells.
        checksums: what protects its messages, in words; empty if nothing does.
    """

    notes: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    expected: Counter[str] | None = None
    checksums: str = ""

    def told(self, file: str, shown: str, topic: str, read: int) -> list[str]:
        """Sentences on what became of the messages of a topic.

        Args:
            file: its name.
            shown: name of the topic, as it is printed.
            topic: its name.
            read: messages of it that can be read.
        """
        expected = None if self.expected is None else self.expected[topic]
        if not self.damage and expected in (None, read):
            return self.notes
        reasons = "; ".join(self.damage) or "its index and its data disagree"
        if expected is None:
            outcome = f"{read} messages of {shown} were read, how many are lost is not known"
        elif expected == read:
            outcome = f"all {read} messages of {shown} were read"
        elif expected > read:
            outcome = f"{expected - read} of {expected} messages of {shown} are lost"
        else:
            outcome = f"it tells of {expected} messages of {shown}, but {read} were read"
        return [*self.notes, f"{file} is damaged ({reasons}): {outcome}."]


class StorageFile(Protocol):
    """A storage file, looked through from its beginning to its end."""

    topics: tuple[Topic, ...]
    condition: Condition

    def messages(self, topic: str, kind: str) -> Iterator[tuple[int, bytes]]:
        """(receive time [ns], raw message) of a topic, in the order of the file."""
