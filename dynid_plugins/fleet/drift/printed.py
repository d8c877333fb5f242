"""Changes of a robot as tables on a terminal, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant
from dynid_plugins.fleet.drift.words import change_sentence, day, size_words, visibility_words

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.fleet.drift.change import Change
    from dynid_plugins.fleet.drift.detection import Drift

_CORRELATED = 0.3  # from which a mean over many days is twice as uncertain as of independent ones

CAUSE_LABELS = {
    "payload": "payload mass",
    "dry": "dry friction",
    "viscous": "viscous friction",
    "friction": "friction",
    "torque_constant": "torque constant",
    "encoder": "encoder offset",
}
"""Words for the kinds of causes."""


def print_drift(console: Console, found: Drift) -> None:
    """Print the changes, a sentence for each, and what the recordings can show."""
    console = roomy(console)
    history = found.history
    span = f"{day(history.times, 0)} to {day(history.times, -1)}"
    title = f"{history.robot}: {len(history.times)} recordings, {span}"
    print_text(console, title, "bold")
    if found.changes:
        rows = table("cause", "joint", "size", "since", "detected", "probability")
        for one in found.changes:
            rows.add_row(
                Text(CAUSE_LABELS[one.best.cause.kind]),
                Text(one.best.cause.joint),
                Text(size_words(one.best)),
                Text(day(history.times, one.start)),
                Text(day(history.times, one.alarm)),
                percent(one.best.probability),
                style="yellow",
            )
        console.print(rows)
    for one in found.changes:
        print_text(console, change_sentence(found, one))
    for sentence in drift_sentences(found):
        print_text(console, sentence)
    _print_visibility(console, found)
    print_sentences(console, "Notes", history.notes, "yellow")


def drift_sentences(found: Drift) -> list[str]:
    """Return what the history shows of the robot's variation, and what it cannot show."""
    count, largest = len(found.history.times), float(found.surprise.max())
    said = []
    if not found.changes:
        said.append(
            f"No change is distinguishable from the variation between days in the "
            f"{count - found.reference} recordings after the first {found.reference}."
        )
    days = found.between_days
    joints = ", ".join(
        f"{name.removeprefix('friction of ')} {percent(float(np.sqrt(share + days.common)))}"
        for name, share in zip(days.groups.names[1:], days.joints, strict=True)
    )
    said.append(
        f"Largest surprise {significant(largest, 3)}, threshold {significant(found.threshold, 3)} "
        f"for {significant(found.false_alarms_per_year, 2)} false alarms per year."
    )
    if joints:
        said.append(f"Variation of friction between days (standard deviation): {joints}.")
        said.append(_persistence_sentence(found))
    if found.history.temperatures is None:
        said.append(
            "Temperatures were not recorded: a change of friction may be one of temperature."
        )
    return said


def _persistence_sentence(found: Drift) -> str:
    known = found.between_days.persistence
    said = (
        f"Its correlation from one recording to the next is {known.mean:.2f}, at most "
        f"{known.most:.2f} (95 %)"
    )
    if known.most < _CORRELATED:
        return f"{said}."
    return (
        f"{said}: the recordings cannot exclude slow variation, for which threshold and sizes "
        "allow."
    )


def _print_visibility(console: Console, found: Drift) -> None:
    console.print()
    print_text(console, "Smallest change that is detected within five recordings", "bold")
    rows = table("cause", "joint", "size")
    for one in found.visibility:
        words = visibility_words(one.cause, one.smallest)
        rows.add_row(Text(CAUSE_LABELS[one.cause.kind]), Text(one.cause.joint), Text(words))
    console.print(rows)


def drift_json(found: Drift) -> dict[str, Any]:
    """Return what ``dynid drift --json`` prints."""
    times = found.history.times
    return {
        "robot": found.history.robot,
        "recordings": len(times),
        "reference": found.reference,
        "false_alarms_per_year": found.false_alarms_per_year,
        "threshold": found.threshold,
        "surprise": found.surprise,
        "changes": [_change_json(found, one) for one in found.changes],
        "between_days": {
            "others": found.between_days.others,
            "common": found.between_days.common,
            "correlation": found.between_days.persistence.mean,
            "correlation_at_most": found.between_days.persistence.most,
            "joints": dict(
                zip(found.between_days.groups.names[1:], found.between_days.joints, strict=True)
            ),
        },
        "visibility": [
            {
                "cause": one.cause.kind,
                "joint": one.cause.joint,
                "unit": one.cause.unit,
                "smallest": one.smallest,
            }
            for one in found.visibility
        ],
        "notes": found.history.notes,
    }


def _change_json(found: Drift, one: Change) -> dict[str, Any]:
    times = found.history.times
    return {
        "since": day(times, one.start),
        "earliest": day(times, one.earliest),
        "latest": day(times, one.latest),
        "detected": day(times, one.alarm),
        "surprise": one.surprise,
        "gradual": one.gradual,
        "unexplained": one.unexplained,
        "text": change_sentence(found, one),
        "causes": [
            {
                "cause": each.cause.kind,
                "joint": each.cause.joint,
                "unit": each.cause.unit,
                "size": each.size if np.isfinite(each.size) else None,
                "standard_deviation": each.standard_deviation,
                "probability": each.probability,
            }
            for each in one.explanations
            if each.probability > 0.01
        ],
    }
