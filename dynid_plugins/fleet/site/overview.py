"""The first page of a fleet: its robots by what needs a person, and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dynid.text import count
from dynid_plugins.fleet.dataset import FleetResults
from dynid_plugins.fleet.site.chart import sparkline
from dynid_plugins.fleet.site.pages import STATES, badges, date, fleet_page
from dynid_plugins.fleet.watch import RobotState

_FAILURES = 20  # that are listed


def overview_page(results: FleetResults, states: Sequence[RobotState], *, live: bool) -> str:
    """Return the text of the first page.

    Args:
        results: the data set.
        states: of its robots, those first that need a person.
        live: whether a server shows the page.
    """
    columns = ("robot", "recording", "recorded_at", "finished_at", "status", "message")
    recordings = results.recordings.select(columns).to_pylist()
    last: dict[str, Any] = {}
    for row in recordings:
        if row["recorded_at"] is not None:
            last[row["robot"]] = max(row["recorded_at"], last.get(row["robot"], row["recorded_at"]))
    failures = [row for row in recordings if row["status"] == "failed"]
    failures.sort(key=lambda row: row["finished_at"], reverse=True)
    tally = Counter(badge for one in states for badge in badges(one))
    return fleet_page(
        "overview.html.j2",
        {
            "title": "Fleet",
            "folder": results.folder.absolute().name,
            "facts": [
                (count(len(states)), "robots"),
                (count(sum(one.needs_a_person for one in states)), "need a person"),
                (count(tally["changed"]), "changed"),
                (count(len(recordings)), "recordings"),
                (count(len(failures)), "not identified"),
                (date(max(last.values(), default=None)), "last recording"),
            ],
            "types": sorted({one.type for one in states}),
            "tally": {name: tally[name] for name in STATES if tally[name]},
            "rows": [_row(one, date(last.get(one.robot))) for one in states],
            "failures": [row | {"date": date(row["recorded_at"])} for row in failures[:_FAILURES]],
            "more_failures": len(failures[_FAILURES:]),
        },
        live=live,
    )


def _row(state: RobotState, last: str) -> dict[str, Any]:
    drift, said = state.drift, state.sentences
    return {
        "robot": state.robot,
        "type": state.type,
        "badges": badges(state),
        "sentence": said[0] if said else "",
        "more": said[1:],
        "spark": "" if drift is None else sparkline(drift.surprise, drift.threshold),
        "evidence": 0.0 if drift is None else round(drift.surprise.max() / drift.threshold, 3),
        "last": last,
        "counts": (state.recordings, state.failed),
        "recordings": count(state.recordings),
        "failed": count(state.failed),
    }
