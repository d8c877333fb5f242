"""Names of columns as words: which signal they name, in which unit, measured or commanded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dynid.recording.units import FACTORS, plain_unit, without_unit

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
