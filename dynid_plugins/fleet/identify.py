"""Identification of all recordings of a fleet that are new or changed."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynid.errors import TaskError
from dynid.robot.robot import Robot
from dynid.text import printable
from dynid_plugins.fleet.dataset import DataSet, writer
from dynid_plugins.fleet.engine import WorkerLost, completed
from dynid_plugins.fleet.listing import Entry, list_recordings
from dynid_plugins.fleet.progress import Progress, left_progress
from dynid_plugins.fleet.settings import Fleet
from dynid_plugins.fleet.work import Outcome, lost, process, settings_digest

if TYPE_CHECKING:
    from distributed import Client

_FLUSH_ROWS = 64
_FLUSH_TIME = 10.0  # [s] of results that an interruption may lose


@dataclass(frozen=True)
class FleetRun:
    """What one run did.

    Attributes:
        unchanged: recordings whose results were there.
        identified, failed: recordings of this run.
        seconds: that it took.
    """

    unchanged: int
    identified: int
    failed: int
    seconds: float


def identify_fleet(
    fleet: Fleet,
    client: Client,
    *,
    again: bool = False,
    progress: Progress = lambda _done, _all: None,
) -> FleetRun:
    """Identify the recordings of a fleet on a cluster, and write the results to its data set.

    Recordings whose content and settings have results are not identified again. Results are
    written as they come: after an interruption, the next run goes on.

    Raises:
        ConfigurationError: recordings cannot be listed, or a file of the data set is damaged.
        WriteError: the data set cannot be written.
        TaskError: the cluster ended; the results that it delivered are written.
    """
    begin = time.monotonic()
    entries = list_recordings(fleet)
    with writer(fleet.data_set) as data, left_progress(fleet.data_set, progress) as report:
        plan = _Plan(fleet, data, again)
        work = [one for one in entries if not plan.is_done(one)]
        counts: Counter[str] = Counter(unchanged=len(entries) - len(work))
        kept = _Batch(data)
        try:
            arguments = ((one, plan.arguments(one)) for one in work)
            for entry, result in completed(client, process, arguments):
                counts[_keep(kept, plan, entry, result)] += 1
                report(counts.total(), len(entries))
        except TaskError as problem:
            raise TaskError(
                f"{printable(fleet.data_set)}: {counts['identified']} recordings were identified "
                f"before {problem} Run the same command again: it goes on."
            ) from None
        finally:
            kept.flush()
    seconds = time.monotonic() - begin
    return FleetRun(counts["unchanged"], counts["identified"], counts["failed"], seconds)


def _keep(kept: _Batch, plan: _Plan, entry: Entry, result: Outcome | str | WorkerLost) -> str:
    """Add a result to those to be written, and return what it counts as."""
    if isinstance(result, WorkerLost):
        message = (
            f"{printable(entry.recording)}: the processes that identified it ended, such as for "
            "want of memory."
        )
        result = lost(plan.robot(entry), entry, message)
    if isinstance(result, str):
        kept.renew(entry)
        return "unchanged"
    kept.add(result)
    return "identified" if result.row["status"] == "identified" else "failed"


class _Plan:
    """What is to be done, by the rows that the data set has."""

    def __init__(self, fleet: Fleet, data: DataSet, again: bool) -> None:
        self._fleet = fleet
        self._data = data
        self._again = again
        self._settings = {name: settings_digest(one) for name, one in fleet.robots.items()}
        self._known: dict[str, dict[str, dict[str, Any]]] = {}

    def robot(self, entry: Entry) -> Robot:
        return self._fleet.robots[entry.type]

    def is_done(self, entry: Entry) -> bool:
        """Return whether a recording has results that a listing shows to be its own."""
        row = self._row(entry)
        if row is None or not entry.fingerprint or row["fingerprint"] != entry.fingerprint:
            return False
        same_time = entry.recorded_at is None or row["recorded_at"] == entry.recorded_at
        same_heat = entry.temperature is None or row["temperature"] == entry.temperature
        return same_time and same_heat

    def arguments(self, entry: Entry) -> tuple[Any, ...]:
        row = self._row(entry)
        return self.robot(entry), entry, None if row is None else row["content_sha256"]

    def _row(self, entry: Entry) -> dict[str, Any] | None:
        """Return the row of a recording with results of the present settings."""
        if self._again:
            return None
        if entry.robot not in self._known:
            rows = self._data.rows(entry.robot)
            self._known = {entry.robot: {row["recording"]: row for row in rows}}
        row = self._known[entry.robot].get(entry.recording)
        # what failed before its content was known may succeed now
        if row is None or row["content_sha256"] is None:
            return None
        return row if row["settings_sha256"] == self._settings[entry.type] else None


class _Batch:
    """Results that are not written yet."""

    def __init__(self, data: DataSet) -> None:
        self._data = data
        self._outcomes: dict[str, list[Outcome]] = defaultdict(list)
        self._renewed: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self._count = 0
        self._written = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        self._outcomes[outcome.row["robot"]].append(outcome)
        self._flush_in_time()

    def renew(self, entry: Entry) -> None:
        """Keep the results of a recording whose content is the same, though its listing changed."""
        columns: dict[str, Any] = {"fingerprint": entry.fingerprint}
        if entry.recorded_at is not None:
            columns["recorded_at"] = entry.recorded_at
        if entry.temperature is not None:
            columns["temperature"] = entry.temperature
        self._renewed[entry.robot][entry.recording] = columns
        self._flush_in_time()

    def _flush_in_time(self) -> None:
        self._count += 1
        if self._count >= _FLUSH_ROWS or time.monotonic() - self._written > _FLUSH_TIME:
            self.flush()

    def flush(self) -> None:
        """Write what is not written yet.

        Raises:
            WriteError: the data set cannot be written.
        """
        for robot, outcomes in self._outcomes.items():
            self._data.replace(
                robot,
                [one.row for one in outcomes],
                [row for one in outcomes for row in one.parameters],
                {one.row["model"]: one.model for one in outcomes if one.model is not None},
            )
        for robot, changed in self._renewed.items():
            self._data.renew(robot, changed)
        self._outcomes.clear()
        self._renewed.clear()
        self._count, self._written = 0, time.monotonic()
