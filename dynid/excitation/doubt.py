"""Values of a URDF that are doubtful, and what confirms them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Doubt:
    """A value of a URDF that is not believable.

    Attributes:
        sentence: on the joint or link, the value, the consequence, and the key that settles it.
        limits: the keys of ``limits`` of which each settles it in a profile.
        dangerous: whether a real robot must not move before; False for what only leads to refused
            motion.
    """

    sentence: str
    limits: tuple[str, ...] = ()
    dangerous: bool = True


def refusal(doubts: Sequence[Doubt]) -> str | None:
    """Return the sentence with which a real robot is not moved, or None where it may be."""
    reasons = [doubt.sentence for doubt in doubts if doubt.limits and doubt.dangerous]
    if not reasons:
        return None
    return " ".join(["no robot moves within doubtful limits.", *reasons])
