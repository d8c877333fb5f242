"""Changes of a robot as tables on a terminal, and as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant
from dynid_plugins.fleet.drift.change import Change
from dynid_plugins.fleet.drift.detection import Drift
from dynid_plugins.fleet.drift.words import (
    CAUSE_LABELS,
    change_sentence,
    day,
    size_words,
    visibility_words,
)

_CORRELATED = 0.3  # from which a mean over many days is twice as uncertain as of independent ones


def print_drift(console: Console, drift: Drift) -> None:
    """Print the changes, a sentence for each, and what the recordings can show."""
    console = roomy(console)
    history = drift.history
    span = f"{day(history.times, 0)} to {day(history.times, -1)}"
    title = f"{history.robot}: {len(history.times)} recordings, {span}"
    print_text(console, title, "bold")
    if drift.changes:
        rows = table("cause", "joint", "size", "since", "detected", "probability")
        for change in drift.changes:
            rows.add_row(
                CAUSE_LABELS[change.best.cause.kind],
                change.best.cause.joint,
                size_words(change.best),
                day(history.times, change.start),
                day(history.times, change.alarm),
                percent(change.best.probability),
                style="yellow",
            )
        console.print(rows)
    for change in drift.changes:
        print_text(console, change_sentence(drift, change))
    for sentence in drift_sentences(drift):
        print_text(console, sentence)
    _print_visibility(console, drift)
    print_sentences(console, "Notes", history.notes, "yellow")


def drift_sentences(drift: Drift) -> list[str]:
    """Return what the history shows of the robot's variation, and what it cannot show."""
    count, largest = len(drift.history.times), float(drift.surprise.max())
    lines = []
    if not drift.changes:
        lines.append(
            f"No change is distinguishable from the variation between days in the "
            f"{count - drift.reference} recordings after the first {drift.reference}."
        )
    else:
        lines.append(_reference_sentence(drift))
    days = drift.between_days
    joints = ", ".join(
        f"{name.removeprefix('friction of ')} {percent(float(np.sqrt(share + days.common)))}"
        for name, share in zip(days.groups.names[1:], days.joints, strict=True)
    )
    lines.append(
        f"Largest surprise {significant(largest, 3)}, threshold {significant(drift.threshold, 3)} "
        f"for {significant(drift.false_alarms_per_year, 2)} false alarms per year."
    )
    if joints:
        lines.append(f"Variation of friction between days (standard deviation): {joints}.")
        lines.append(_persistence_sentence(drift))
    if drift.history.temperatures is None:
        lines.append(
            "Temperatures were not recorded: a change of friction may be one of temperature."
        )
    return lines


def _reference_sentence(drift: Drift) -> str:
    times, begin = drift.history.times, drift.reference_begin
    if begin + drift.reference < len(times):
        last = day(times, begin + drift.reference - 1)
        return f"Later recordings are compared with a new reference, {day(times, begin)} to {last}."
    return (
        f"The new reference is the {drift.reference} recordings after {day(times, begin - 1)}, of "
        f"which {len(times) - begin} are there; until it is complete no further change is detected."
    )


def _persistence_sentence(drift: Drift) -> str:
    known = drift.between_days.persistence
    sentence = (
        f"Its correlation from one recording to the next is {known.mean:.2f}, at most "
        f"{known.most:.2f} (95 %)"
    )
    if known.most < _CORRELATED:
        return f"{sentence}."
    return (
        f"{sentence}: the recordings cannot exclude slow variation, for which threshold and sizes "
        "allow."
    )


def _print_visibility(console: Console, drift: Drift) -> None:
    console.print()
    print_text(console, "Smallest change that is detected within five recordings", "bold")
    rows = table("cause", "joint", "size")
    for visible in drift.visibility:
        words = visibility_words(visible.cause, visible.smallest)
        rows.add_row(CAUSE_LABELS[visible.cause.kind], visible.cause.joint, words)
    console.print(rows)


def drift_json(drift: Drift) -> dict[str, Any]:
    """Return what ``dynid fleet drift --json`` prints."""
    times = drift.history.times
    return {
        "robot": drift.history.robot,
        "recordings": len(times),
        "reference": drift.reference,
        "reference_begin": drift.reference_begin,
        "false_alarms_per_year": drift.false_alarms_per_year,
        "threshold": drift.threshold,
        "surprise": drift.surprise,
        "changes": [_change_json(drift, change) for change in drift.changes],
        "between_days": {
            "others": drift.between_days.others,
            "common": drift.between_days.common,
            "correlation": drift.between_days.persistence.mean,
            "correlation_at_most": drift.between_days.persistence.most,
            "joints": dict(
                zip(drift.between_days.groups.names[1:], drift.between_days.joints, strict=True)
            ),
        },
        "visibility": [
            {
                "cause": visible.cause.kind,
                "joint": visible.cause.joint,
                "unit": visible.cause.unit,
                "smallest": visible.smallest,
            }
            for visible in drift.visibility
        ],
        "notes": drift.history.notes,
    }


def _change_json(drift: Drift, change: Change) -> dict[str, Any]:
    times = drift.history.times
    return {
        "since": day(times, change.start),
        "earliest": day(times, change.earliest),
        "latest": day(times, change.latest),
        "detected": day(times, change.alarm),
        "surprise": change.surprise,
        "gradual": change.gradual,
        "unexplained": change.unexplained,
        "text": change_sentence(drift, change),
        "causes": [
            {
                "cause": explanation.cause.kind,
                "joint": explanation.cause.joint,
                "unit": explanation.cause.unit,
                "size": explanation.size if np.isfinite(explanation.size) else None,
                "standard_deviation": explanation.standard_deviation,
                "probability": explanation.probability,
            }
            for explanation in change.explanations
            if explanation.probability > 0.01
        ],
    }
