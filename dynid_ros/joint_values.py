"""Values in messages: instants, arrays of numbers, and joint states in the order of a robot's."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from builtin_interfaces.msg import Duration

    from dynid.arrays import Array

SECOND_NS = 1_000_000_000
"""Nanoseconds of a second."""
STALE_NS = SECOND_NS
"""Time without joint states after which a warning is published [ns]."""


def stamp(instant_ns: int) -> Time:
    """Return an instant [ns] as a message's stamp."""
    return Time(sec=instant_ns // SECOND_NS, nanosec=instant_ns % SECOND_NS)


def to_ns(instant: Time) -> int:
    """Return an instant of a message [ns]."""
    return int(instant.sec) * SECOND_NS + int(instant.nanosec)


def seconds(duration: Duration | Time) -> float:
    """Return a duration, or the instant of a stamp [s]."""
    return float(duration.sec + 1e-9 * duration.nanosec)


def doubles(values: Array) -> array[float]:
    """Return an array that messages accept without checking every number."""
    return array("d", values.tobytes())


def in_order(
    joints: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> list[float] | None:
    """Return the joints' values in their order, or None where one is missing."""
    given = dict(zip(names, values, strict=False))
    return [given[joint] for joint in joints] if set(joints) <= given.keys() else None
