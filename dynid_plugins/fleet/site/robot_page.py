"""The page of one robot: what changed, timelines, comparisons of its models, and recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from dynid.errors import DynidError
from dynid.evaluation.model_comparison import ModelComparison, compare_models
from dynid.profile import make_robot
from dynid.report.terminal.comparison import sentences
from dynid.robot.model_file import parse_model
from dynid.text import NOT_KNOWN, count, percent, significant, unit
from dynid_plugins.fleet.drift.change import Change
from dynid_plugins.fleet.drift.detection import Drift
from dynid_plugins.fleet.drift.printed import drift_sentences
from dynid_plugins.fleet.drift.words import (
    CAUSE_LABELS,
    cause_words,
    change_sentence,
    day,
    size_words,
    visibility_words,
)
from dynid_plugins.fleet.site.chart import HEIGHT, WIDTH
from dynid_plugins.fleet.site.pages import badges, date, fleet_page
from dynid_plugins.fleet.site.timelines import Kind, find_groups
from dynid_plugins.fleet.watch import RobotState

_SHOWN = 12  # parameters of a comparison
_SIGNIFICANT = 3.0  # [standard deviations] of a single parameter
_OPEN = 30  # recordings that are shown at once
_LISTED = 150  # recordings on the page at most; the data set has all of them
_NAMED = 0.01  # probability from which a cause is in the table


class Pair(NamedTuple):
    """Two models of a robot: why they are compared, dates of their recordings, and their texts."""

    title: str
    first: str
    second: str
    texts: tuple[str, str]


def robot_page(
    state: RobotState,
    recordings: Sequence[Mapping[str, Any]],
    kinds: Mapping[str, Kind],
    pairs: Sequence[Pair],
    models: str,
    live: bool,
) -> str:
    """Return the text of a robot's page.

    Args:
        state: of the robot.
        recordings: rows of the data set, the latest first.
        kinds: of its base parameters.
        pairs: of models to compare.
        models: address of the data set, relative to the page, ending in ``/``.
        live: whether a server shows the page.
    """
    drift = state.drift
    rows = [_recording_row(row, models) for row in recordings]
    return fleet_page(
        "robot.html.j2",
        {
            "title": state.robot,
            "state": state,
            "badges": badges(state),
            "facts": _facts(state, recordings),
            "changes": []
            if drift is None
            else [_change(drift, one) for one in reversed(drift.changes)],
            "groups": () if drift is None else find_groups(drift, kinds),
            "size": (WIDTH, HEIGHT),
            "comparisons": [_comparison(one) for one in pairs],
            "warmth": any(row["temperature"] for row in rows),
            "rows": rows[:_OPEN],
            "older": rows[_OPEN:_LISTED],
            "unlisted": len(rows[_LISTED:]),
            "visibility": _visibility(drift),
            "limits": [] if drift is None else [*drift_sentences(drift), *drift.history.notes],
        },
        live=live,
    )


def _facts(state: RobotState, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    dates = [row["recorded_at"] for row in rows if row["recorded_at"]]
    changes = 0 if state.drift is None else len(state.drift.changes)
    facts = [
        (count(state.recordings), "recordings"),
        (count(state.failed), "not identified"),
        (str(changes), "changes" if changes != 1 else "change"),
        (date(max(dates, default=None)), "last recording"),
    ]
    warmth = [row["temperature"] for row in rows if row["temperature"] is not None]
    if warmth:
        facts.append((f"{significant(warmth[0], 3)} °C", "last temperature"))
    return facts


def _change(drift: Drift, change: Change) -> dict[str, Any]:
    """Return the words of a change; the sentence begins with what the title says."""
    title = f"{cause_words(change)}: {size_words(change.best)}"
    return {
        "number": drift.changes.index(change) + 1,
        "title": title,
        "sentence": change_sentence(drift, change).removeprefix(title).lstrip(", "),
        "since": day(drift.history.times, change.start),
        "causes": [
            (
                CAUSE_LABELS[one.cause.kind],
                one.cause.joint,
                size_words(one),
                percent(one.probability),
            )
            for one in change.explanations
            if one.probability > _NAMED
        ],
        "unexplained": percent(change.unexplained) if change.unexplained > _NAMED else None,
    }


def _comparison(pair: Pair) -> dict[str, Any]:
    content = {"title": pair.title, "first": pair.first, "second": pair.second}
    try:
        first, second = (
            parse_model(text, f"model of {when}", make_robot)
            for text, when in zip(pair.texts, (pair.first, pair.second), strict=True)
        )
        found = compare_models(first, second)
    except DynidError as problem:
        return content | {"problem": str(problem)}
    return content | {"problem": None, **_differences(found)}


def _differences(found: ModelComparison) -> dict[str, Any]:
    return {
        "sentences": sentences(found),
        "parameters": [
            {
                "name": one.name,
                "numbers": [significant(n) for n in (one.first, one.second)],
                "difference": significant(one.second - one.first, 3),
                "score": f"{one.score:+.1f}",
                "mark": "bad" if abs(one.score) > _SIGNIFICANT else "",
                "unit": unit(one.unit),
            }
            for one in found.parameters[:_SHOWN]
        ],
        "left": len(found.parameters[_SHOWN:]),
        "torques": [
            (
                one.joint,
                [
                    significant(number, 3)
                    for number in (one.torque, one.rms, one.largest, one.bodies, one.terms)
                ],
                significant(one.expected, 3),
                "bad" if one.rms > _SIGNIFICANT * one.expected > 0 else "",
            )
            for one in found.workspace
        ],
    }


def _recording_row(row: Mapping[str, Any], models: str) -> dict[str, Any]:
    verdict = row["verdict"] or row["status"]
    return {
        "date": date(row["recorded_at"]),
        "name": row["recording"],
        "verdict": {"pass": "✓ succeeded", "fail": "✗ criterion failed"}.get(
            verdict, "✗ not identified"
        ),
        "mark": "" if verdict == "pass" else "bad",
        "errors": [_largest(row[name]) for name in ("relative_error", "held_out_error")],
        "temperature": "" if row["temperature"] is None else significant(row["temperature"], 3),
        "message": row["message"] or "",
        "model": None if row["model"] is None else models + quote(row["model"]),
    }


def _largest(errors: Sequence[float | None] | None) -> str:
    known = [one for one in errors or () if one is not None and np.isfinite(one)]
    return percent(max(known)) if known else NOT_KNOWN


def _visibility(drift: Drift | None) -> dict[str, Any] | None:
    """Return the smallest visible sizes: a row for each joint, a column for each kind of cause."""
    if drift is None:
        return None
    seen: dict[tuple[str, str], str] = {
        (one.cause.joint, one.cause.kind): visibility_words(one.cause, one.smallest)
        for one in drift.visibility
    }
    kinds = [kind for kind in CAUSE_LABELS if any(found == kind for _, found in seen)]
    joints = dict.fromkeys(joint for joint, _ in seen)
    return {
        "kinds": [CAUSE_LABELS[kind] for kind in kinds],
        "rows": [
            (joint, [seen.get((joint, kind), NOT_KNOWN) for kind in kinds]) for joint in joints
        ],
    }
