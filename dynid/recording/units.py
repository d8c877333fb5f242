"""Units of measurement as files write them, with their factors to SI."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

_TURN = 2 * math.pi
_DEGREE = math.pi / 180

FACTORS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "time": {"s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3}
        | {"us": 1e-6, "µs": 1e-6, "ns": 1e-9, "nsec": 1e-9, "min": 60.0},
        "position": {"rad": 1.0, "radian": 1.0, "radians": 1.0, "mrad": 1e-3, "m": 1.0, "mm": 1e-3}
        | {"deg": _DEGREE, "degree": _DEGREE, "degrees": _DEGREE, "°": _DEGREE, "grad": _DEGREE}
        | {"rev": _TURN, "turns": _TURN, "cm": 1e-2},
        "velocity": {"rad/s": 1.0, "m/s": 1.0, "mm/s": 1e-3, "mrad/s": 1e-3, "deg/s": _DEGREE}
        | {"°/s": _DEGREE, "degrees/s": _DEGREE, "grad/s": _DEGREE, "dps": _DEGREE}
        | {"rpm": _TURN / 60, "1/min": _TURN / 60, "rev/s": _TURN, "rad/sec": 1.0, "rads": 1.0},
        "effort": {"nm": 1.0, "n*m": 1.0, "mnm": 1e-3, "n": 1.0, "ncm": 1e-2, "knm": 1e3}
        | {"a": 1.0, "ma": 1e-3, "amp": 1.0, "amps": 1.0},
        "temperature": {"°c": 1.0, "c": 1.0, "degc": 1.0, "celsius": 1.0},
    }
)
"""Factor to SI of each unit of a signal, in lower case; torque and force, or current."""

CURRENTS = frozenset({"a", "ma", "amp", "amps"})
"""Units of effort that are those of a current."""

_BRACKETS = re.compile(r"\s*[\[(<{]\s*([^\])>}]*?)\s*[\])>}]\s*$")


def plain_unit(text: str) -> str:
    """Return a unit as :data:`FACTORS` writes it, without brackets and in lower case."""
    unit = text.strip().strip("[]()").strip().lower().replace("\N{GREEK SMALL LETTER MU}", "µ")
    return re.sub(r"[·⋅.\s]+(?=m$)", "", unit).replace("n*m", "nm").replace(" ", "")


def is_unit(text: str) -> bool:
    """Return whether a text is a known unit of any signal."""
    return any(plain_unit(text) in units for units in FACTORS.values())


def without_unit(name: str) -> tuple[str, str]:
    """Return the name of a column without a unit in brackets at its end, and the unit.

    ``q[1]`` has a number there, and ``/joint_states/position[elbow]`` a joint, which are no units.
    """
    bare_name, slash, ending = name.rpartition("/")
    if slash and bare_name and not name.startswith("/") and is_unit(ending):  # Time/s
        return bare_name, plain_unit(ending)
    match = None if name.startswith("/") else _BRACKETS.search(name)
    if match is None or not match.start() or not re.search(r"[^\W\d]|[°%]", match[1]):
        return name, ""
    return name[: match.start()], plain_unit(match[1])
