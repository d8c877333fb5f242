"""Words that several causes share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dynid.dynamics.mechanism import Mechanism


def listed(names: Iterable[str]) -> str:
    """Return names as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def only(names: Sequence[str]) -> str | None:
    """Return the joint a finding is about, None where it is about several."""
    return names[0] if len(names) == 1 else None


def units(mechanism: Mechanism, joints: Iterable[int], turning: str, sliding: str) -> str:
    """Return the unit of what is listed for these joints: one, or both in their order."""
    return ", ".join(dict.fromkeys(sliding if mechanism.prismatic[j] else turning for j in joints))


def torque_unit(prismatic: bool) -> str:
    """Return the unit of a joint's torque, or force."""
    return "N" if prismatic else "N m"
