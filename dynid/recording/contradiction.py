"""A contradiction between signals of a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dynid.recording.corrections import Correction, correction_yaml
from dynid.text import listed

Severity = Literal["problem", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "note")
"""In decreasing order: unusable model, reduced accuracy, information."""


@dataclass(frozen=True)
class Contradiction:
    """What two signals of a recording cannot both be right about.

    Attributes:
        kind: ``velocity``, ``time``, ``wrapped_position``, ``position_jump``,
            ``lost_samples``, ``effort``, ``backlash``, ``held_position``, ``copied_channel``,
            ``unsigned_effort`` or ``beyond_limits``.
        joints: names of the joints.
        severity: "problem", "warning" or "note", as of a finding.
        sentence: the observation, with numbers and units.
        remedy: what to do, with the profile's key where that corrects it.
        corrections: that remove the contradiction; empty if there are none, or several that only
            the source can decide between.
        evidence: numbers by name; the name includes the unit.
        signals: of which one is wrong, where the kind does not say so.
        statement: as of a finding, what it says of its joint; empty for one that stands alone.
    """

    kind: str
    joints: tuple[str, ...]
    severity: Severity
    sentence: str
    remedy: str
    evidence: Mapping[str, float]
    corrections: tuple[Correction, ...] = ()
    signals: tuple[str, ...] = ()
    statement: str = ""


def remedy(advice: str, joints: Sequence[str], corrections: Sequence[Correction]) -> str:
    """Return an advice with the names of joints and the profile's line of corrections."""
    named = advice.replace("{joints}", listed(joints)) if joints else advice
    return named.replace("{corrections}", correction_yaml(corrections))
