"""Names of columns as words: which signal they name, in which unit, measured or commanded."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

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

CURRENT = frozenset({"current", "currents", "i", "strom", "curr"})
"""Words of a motor current."""

SIGNALS = {
    "position": frozenset({"q", "qs", "pos", "position", "positions", "angle", "angles"})
    | {"winkel", "posn", "theta"},
    "velocity": frozenset(
        {"dq", "dqs", "qd", "qdot", "vel", "velo", "velocity", "velocities", "speed"}
    )
    | {"speeds", "geschwindigkeit"},
    "effort": frozenset({"tau", "taus", "torque", "torques", "eff", "effort", "efforts", "trq"})
    | {"moment", "moments", "drehmoment", "momente"}
    | CURRENT,
    "temperature": frozenset({"temp", "temps", "temperature", "temperatures", "temperatur"}),
}
"""Words of each signal."""

_COMMANDED = frozenset({"target", "desired", "des", "cmd", "command", "commanded", "ref"}) | {
    *("reference", "setpoint", "soll", "sollwert", "d", "goal", "demand", "commands", "set"),
    *("output", "error", "err", "lag", "diff", "deviation"),
}
_OF_NO_JOINT = frozenset({"ext", "external", "tcp", "cart", "cartesian", "flange", "tool"}) | {
    *("gravity", "grav", "coriolis", "friction", "model", "predicted", "estimated", "est", "hat"),
    *("limit", "limits", "max", "min", "residual", "bias", "threshold", "std", "cov", "ft"),
    *("acc", "accel", "acceleration", "jerk", "raw", "nominal", "rated"),
}
NEUTRAL = frozenset({"act", "actual", "meas", "measured", "ist", "istwert", "field", "state"}) | {
    *("states", "joint", "joints", "axis", "axes", "achse", "j", "value", "values", "val"),
    *("data", "msg", "m", "f", "feedback", "fbk", "header"),
}
"""Words that do not say of what a signal is."""

TIMES = frozenset(
    {"t", "ts", "time", "times", "timestamp", "stamp", "timestamps", "sec", "secs"}
) | {*("zeit", "tout")}
"""First words of a column of times."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zµ°äöüß]+|\d+")
_KNOWN = frozenset().union(*SIGNALS.values(), _COMMANDED, NEUTRAL, TIMES)
_SHORTEST_PART = 3  # letters of the second one of two words written as one, such as actpos
_LONG_UNITS = frozenset(
    {"rad", "deg", "grad", "degrees", "nm", "mnm", "ms", "us", "ns", "rpm", "ma"}
) | {
    *("rad/s", "deg/s", "m/s", "mm/s", "mm", "mrad", "degree", "radians", "dps", "amps", "amp"),
    *("celsius", "degc", "°", "°c", "rev", "turns", "rads", "radian"),
}


class ColumnName(NamedTuple):
    """A column: its name, the words in it without its unit, and the unit (lower case, or empty)."""

    name: str
    words: tuple[str, ...]
    unit: str

    def is_of(self, signal: str, *, words: tuple[str, ...]) -> bool:
        """Return whether these of its words name a measured signal of a joint, and no other."""
        return [name for name, known in SIGNALS.items() if known & set(words)] == [signal] and not (
            _COMMANDED | _OF_NO_JOINT
        ) & set(words)


def words_of_no_signal(words: Sequence[str]) -> list[str]:
    """Return the words for which a column is not taken as a measured signal of a joint."""
    return [word for word in words if word in _COMMANDED | _OF_NO_JOINT]


def parse_column(name: str, unit: str = "") -> ColumnName:
    """Return the words of a column's name, and its unit: given, in brackets, or its last words."""
    bare_name, bracketed = without_unit(name.lstrip("%#_ "))
    unit = plain_unit(unit) or bracketed
    words = [
        word for part in re.findall(r"[^\W\d_]+|\d{1,9}|[°%]", bare_name) for word in _split(part)
    ]
    for length in (3, 2, 1):
        ending = "/".join(word for word in words[-length:] if word != "per")
        if not unit and len(words) > length and ending in _LONG_UNITS:
            return ColumnName(name, tuple(words[:-length]), ending)
    if not unit and len(words) > 1 and words[-1] == "a" and CURRENT & set(words):
        return ColumnName(name, tuple(words[:-1]), "a")
    return ColumnName(name, tuple(words), unit)


def is_known_unit(signal: str, unit: str) -> bool:
    """Return whether a unit is one of a signal, or none is stated."""
    return not unit or unit in FACTORS[signal]


def _split(part: str) -> list[str]:
    """Return the words that are written as one, such as ``ActPos`` and ``actpos``."""
    plain = part.lower()
    if plain in _KNOWN or plain in _LONG_UNITS:
        return [plain]
    words = [word.lower() for word in _WORD.findall(part)] or [plain]
    if words == [plain]:
        for place in range(1, len(plain) - _SHORTEST_PART + 1):
            if {plain[:place], plain[place:]} <= _KNOWN:
                return [plain[:place], plain[place:]]
    return words


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
