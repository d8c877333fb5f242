"""Values of joint states in the order of a robot's joints."""

from __future__ import annotations

from collections.abc import Sequence


def in_order(
    joints: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> list[float] | None:
    """Return the joints' values in their order, or None where one is missing."""
    given = dict(zip(names, values, strict=False))
    return [given[joint] for joint in joints] if set(joints) <= given.keys() else None
