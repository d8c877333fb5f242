"""Changes in plain words."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np

from dynid.arrays import Array
from dynid.text import iso_time, significant
from dynid_plugins.fleet.drift.causes import ALL_JOINTS, Cause
from dynid_plugins.fleet.drift.change import Change, Explanation
from dynid_plugins.fleet.drift.detection import Drift
from dynid_plugins.fleet.drift.history import DAY

_POSSIBLE = 0.05  # probability from which another cause is named

CAUSE_LABELS = {
    "payload": "payload mass",
    "dry": "dry friction",
    "viscous": "viscous friction",
    "friction": "friction",
    "torque_constant": "torque constant",
    "encoder": "encoder offset",
}
"""Words for the kinds of causes."""


def change_sentence(drift: Drift, change: Change) -> str:
    """Return what changed, when, by how much, and the other causes that remain possible."""
    best = change.best
    times = drift.history.times
    first = f"{cause_words(change)}: {size_words(best)}"
    when = f", since {day(times, change.start)}"
    if change.earliest != change.latest:
        when += f" (95 %: {day(times, change.earliest)} to {day(times, change.latest)})"
    shape = {True: ", growing gradually", False: ", in one step", None: ""}[change.gradual]
    others = [
        f"{_what(one.cause)} {size_words(one)} ({100 * one.probability:.0f} %)"
        for one in change.explanations[1:]
        if one.probability > _POSSIBLE
    ]
    text = f"{first}{when}{shape}; detected on {day(times, change.alarm)}."
    if others:
        text += f" Cannot be distinguished from: {', '.join(others)}."
    if change.unexplained > _POSSIBLE:
        text += (
            f" No single cause of the list explains it ({100 * change.unexplained:.0f} %): several "
            "changes at once, or another one."
        )
    return text


def cause_words(change: Change) -> str:
    """Return the cause that the direction of the change stands for."""
    best = change.best
    joint, grows = best.cause.joint, best.size > 0
    if best.cause.kind == "payload":
        return "Payload or tool changed"
    if best.cause.kind == "encoder":
        return f"Encoder offset at {joint}"
    if best.cause.kind == "torque_constant":
        return f"Torque constant or torque sensor at {joint}"
    if best.cause.kind == "dry" and grows:
        likely = "gear wear" if change.gradual else "a brake that drags, or a gear that rubs"
        return f"Dry friction at {joint} grew: {likely}"
    if best.cause.kind == "dry":
        return f"Dry friction at {joint} fell: worn gear or belt without its preload"
    warm = "lubrication" if change.temperature_known else "lubrication or temperature"
    where = "all joints" if joint == ALL_JOINTS else joint
    kind = "Viscous friction" if best.cause.kind == "viscous" else "Friction"
    if best.cause.kind == "friction" and joint != ALL_JOINTS:
        warm += ", or belt or gear wear"
    return f"{kind} at {where} {'grew' if grows else 'fell'}: {warm}"


def size_words(one: Explanation) -> str:
    """Return the size of a change with its standard deviation."""
    if one.cause.kind == "payload":
        if not np.isfinite(one.size):
            return "its mass cannot be seen by these recordings"
        return f"mass {_signed(one.size)} ± {significant(one.standard_deviation, 2)} kg"
    if one.cause.unit == "1":
        return f"{100 * one.size:+.1f} ± {100 * one.standard_deviation:.1g} %"
    return f"{_signed(one.size)} ± {significant(one.standard_deviation, 2)} {one.cause.unit}"


def visibility_words(cause: Cause, smallest: float) -> str:
    """Return the smallest size of a cause that would be detected."""
    if not np.isfinite(smallest) or (cause.unit == "1" and smallest >= 1):
        return "not visible"
    if cause.unit == "1":
        return f"{100 * smallest:.2g} %"
    return f"{significant(smallest, 2)} {cause.unit}"


def _what(cause: Cause) -> str:
    label = "payload" if cause.kind == "payload" else CAUSE_LABELS[cause.kind]
    return f"{label} at {cause.joint}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '-'}{significant(abs(value), 3)}"


def day(times: Array, index: int) -> str:
    """Return the date of a recording in UTC, with the time where days have several."""
    text = iso_time(datetime.fromtimestamp(float(times[index]), tz=timezone.utc))
    several = len(times) > 1 and float(np.min(np.diff(times))) < DAY
    return text if several else text[:10]
