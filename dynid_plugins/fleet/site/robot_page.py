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
    size_words,
    visibility_words,
)
from dynid_plugins.fleet.site.chart import HEIGHT, WIDTH
from dynid_plugins.fleet.site.pages import date, fleet_page
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
    return fleet_page(
        "robot.html.j2",
        {
            "title": state.robot,
            "state": state,
            "facts": _facts(state, recordings),
            "changes": []
            if drift is None
            else [_worded(drift, number) for number in range(len(drift.changes), 0, -1)],
            "named": _NAMED,
            "labels": CAUSE_LABELS,
            "size_words": size_words,
            "groups": () if drift is None else find_groups(drift, kinds),
            "size": (WIDTH, HEIGHT),
            "comparisons": [_comparison(one) for one in pairs],
            "shown": _SHOWN,
            "certain": _SIGNIFICANT,
            "warmth": any(row["temperature"] is not None for row in recordings),
            "rows": recordings[:_OPEN],
            "older": recordings[_OPEN:_LISTED],
            "unlisted": len(recordings[_LISTED:]),
            "models": models,
            "largest": _largest,
            "percent": percent,
            "quote": quote,
            "significant": significant,
            "unit": unit,
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


def _worded(drift: Drift, number: int) -> tuple[int, str, str, Change]:
    """Return a change with its number and title, and the sentence behind what the title says."""
    change = drift.changes[number - 1]
    title = f"{cause_words(change)}: {size_words(change.best)}"
    sentence = change_sentence(drift, change).removeprefix(title).lstrip(", ")
    return number, title, sentence, change


def _comparison(pair: Pair) -> tuple[Pair, ModelComparison | None, list[str]]:
    """Return what two models differ by, and sentences on it or on why they are not compared."""
    try:
        first, second = (
            parse_model(text, f"model of {when}", make_robot)
            for text, when in zip(pair.texts, (pair.first, pair.second), strict=True)
        )
        found = compare_models(first, second)
    except DynidError as problem:
        return pair, None, [str(problem)]
    return pair, found, list(sentences(found))


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
