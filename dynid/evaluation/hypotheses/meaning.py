"""What a cause means, as texts and as changes of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dynid.recording.contradiction import remedy
from dynid.recording.corrections import Correction


@dataclass(frozen=True, eq=False)
class Meaning:
    """Texts of a cause.

    Attributes:
        cause: its key; a torque factor of -1 is a flipped sign.
        joints: names of the joints concerned; () for the whole robot.
        sentence: the cause alone, without its effect.
        advice: what to do, as of a finding.
        corrections: of the recordings.
        evidence: numbers by name.
        settings: other keys of the profile, with the values that remove the cause.
        statement: as of a finding, what it says of its joint; empty for one that stands alone.
    """

    cause: str
    joints: tuple[str, ...]
    sentence: str
    advice: str
    corrections: tuple[Correction, ...] = ()
    evidence: tuple[tuple[str, float], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    statement: str = ""

    @property
    def remedy(self) -> str:
        """What to do, with names of the joints and keys of the profile."""
        return remedy(self.advice, self.joints, self.corrections)
