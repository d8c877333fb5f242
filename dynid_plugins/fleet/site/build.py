"""All pages of a fleet: the first, those of robots, made on a cluster, and as files of a folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dynid.errors import DynidError, TaskError
from dynid.files import write_text
from dynid.input_file import read_text
from dynid.text import count
from dynid.transaction import written_together
from dynid_plugins.fleet.dataset import FleetResults
from dynid_plugins.fleet.engine import WorkerLost, completed
from dynid_plugins.fleet.histories import model_path, robot_history
from dynid_plugins.fleet.progress import Progress
from dynid_plugins.fleet.site.chart import sparkline
from dynid_plugins.fleet.site.pages import (
    INDEX,
    ROBOT_PREFIX,
    STATES,
    badges,
    date,
    fleet_page,
    page_name,
)
from dynid_plugins.fleet.site.robot_page import Pair, robot_page
from dynid_plugins.fleet.site.timelines import Kind
from dynid_plugins.fleet.watch import RobotState

if TYPE_CHECKING:
    from distributed import Client

_FAILURES = 20  # that are listed on the first page
_HEAVY = ("covariance", "torque_error")  # columns that no page shows


def write_site(
    results: FleetResults,
    states: Sequence[RobotState],
    client: Client,
    folder: Path,
    *,
    progress: Progress = lambda _done, _all: None,
) -> None:
    """Write the pages of a fleet, which need no server; those of an earlier run are replaced.

    Models are linked to in the data set, relative to the folder.

    Raises:
        WriteError: the folder cannot be written.
        TaskError: the cluster ended.
    """
    target = os.path.relpath(results.folder.absolute(), folder.absolute())
    with written_together(folder, stale=(f"{ROBOT_PREFIX}*.html",)) as unfinished:
        pages = robot_pages(results, states, client, models=f"{quote(target)}/")
        for number, (name, text) in enumerate(pages, 1):
            write_text(unfinished / name, text)
            progress(number, len(states))
        write_text(unfinished / INDEX, overview_page(results, states, live=False))


def robot_pages(
    results: FleetResults,
    states: Sequence[RobotState],
    client: Client,
    *,
    models: str,
    live: bool = False,
) -> Iterator[tuple[str, str]]:
    """Yield file names and texts of the pages of robots.

    Args:
        results: the data set.
        states: of the robots whose pages are wanted.
        client: of the cluster.
        models: address of the data set, relative to the pages, ending in ``/``.
        live: whether a server shows them.

    Raises:
        TaskError: the cluster ended, or a page ended its processes.
    """
    contents = (
        (one.robot, (one, *_content(results.of_robot(one.robot), one), models, live))
        for one in states
    )
    for robot, text in completed(client, robot_page, contents):
        if isinstance(text, WorkerLost):
            raise TaskError(f"{robot}: the processes that drew its page ended.")
        yield page_name(robot), text


def _content(
    mine: FleetResults, state: RobotState
) -> tuple[list[Any], dict[str, Kind], list[Pair]]:
    """Return a robot's recordings, the latest first, the kinds of its parameters, and its pairs."""
    rows = mine.recordings.drop_columns(list(_HEAVY)).to_pylist()
    rows.sort(key=lambda row: row["recorded_at"] or row["finished_at"])
    names = ("parameter", "kind", "joint", "unit")
    columns = (mine.parameters[name].to_pylist() for name in names)
    kinds = {name: Kind(*rest) for name, *rest in zip(*columns, strict=True)}
    return rows[::-1], kinds, list(_pairs(mine, state))


def _pairs(mine: FleetResults, state: RobotState) -> Iterator[Pair]:
    """Yield the models to compare: around the latest change, and the first and the last."""
    try:
        _, rows = robot_history(mine, state.robot)
    except DynidError:
        return  # the state says why
    chosen = [("First and last recording", 0, len(rows) - 1)]
    if state.drift is not None and state.drift.changes:
        change = state.drift.changes[-1]
        around = max(change.earliest - 1, 0), max(change.latest, change.alarm)  # which showed it
        chosen.insert(0, ("Before and after the latest change", *around))
    for title, first, second in chosen:
        try:
            texts = tuple(read_text(model_path(mine, rows[one])) for one in (first, second))
        except DynidError:
            continue  # a run has just replaced the model
        before, after = (date(rows[one]["recorded_at"]) for one in (first, second))
        yield Pair(title, before, after, (texts[0], texts[1]))


def overview_page(results: FleetResults, states: Sequence[RobotState], *, live: bool) -> str:
    """Return the text of the first page."""
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
            "states": states,
            "last": last,
            "sparkline": sparkline,
            "failures": failures[:_FAILURES],
            "more_failures": len(failures[_FAILURES:]),
        },
        live=live,
    )
