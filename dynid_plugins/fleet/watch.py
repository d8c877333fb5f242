"""What each robot of a fleet needs: changes over its own history, and differences from its type."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dynid.errors import DynidError
from dynid.input_file import read_text
from dynid.profile import make_robot
from dynid.robot.model_file import parse_model
from dynid_plugins.fleet.dataset import FleetResults
from dynid_plugins.fleet.drift.detection import Drift, detect_drift
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.drift.words import change_sentence, day
from dynid_plugins.fleet.engine import completed
from dynid_plugins.fleet.histories import best_row, model_path, robot_history
from dynid_plugins.fleet.peers import Unusual, find_unusual, unusual_sentence
from dynid_plugins.fleet.progress import Progress

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, eq=False)
class RobotState:
    """What is known of a robot.

    Attributes:
        robot, type: its names.
        recordings, failed: their numbers.
        drift: over its own history; None if it could not be evaluated.
        problem: why it could not be, as a sentence.
        unusual: parameters that are unlike those of its type.
    """

    robot: str
    type: str
    recordings: int
    failed: int
    drift: Drift | None
    problem: str | None = None
    unusual: tuple[Unusual, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it changed, or is unlike the others of its type."""
        return bool(self.unusual or (self.drift is not None and self.drift.changes))

    @property
    def urgency(self) -> tuple[float, ...]:
        """Key of the order by what needs a person: the latest change first."""
        changes = self.drift.changes if self.drift else ()
        latest = self.drift.history.times[changes[-1].alarm] if self.drift and changes else 0.0
        return (
            -float(latest),
            -float(bool(self.unusual)),
            -self.failed / max(self.recordings, 1),
            -float(self.problem is not None),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, the most important first; empty if nothing was."""
        said = []
        if self.drift is not None:
            said += [change_sentence(self.drift, one) for one in reversed(self.drift.changes)]
        if self.unusual:
            said.append(unusual_sentence(self.unusual))
        if self.failed:
            said.append(f"{self.failed} of {self.recordings} recordings were not identified.")
        if self.problem is not None:
            said.append(f"Changes could not be evaluated: {self.problem}")
        return tuple(said)

    @property
    def needs_a_person(self) -> bool:
        """Whether anything was found, or could not be evaluated."""
        return bool(self.sentences)

    @property
    def last_recorded(self) -> str:
        """Date of the last recording that was evaluated; empty if there is none."""
        return "" if self.drift is None else day(self.drift.history.times, -1)


def watch_fleet(
    results: FleetResults,
    client: Client,
    *,
    reference: int = 10,
    false_alarms_per_year: float = 0.1,
    simulations: int = 500,
    seed: int = 0,
    known: Mapping[str, Drift] | None = None,
    progress: Progress = lambda _done, _all: None,
) -> tuple[RobotState, ...]:
    """Detect the changes of every robot, and compare it with the others of its type.

    Args:
        results: the data set.
        client: of the cluster that simulates the thresholds.
        reference: first recordings of each robot, taken as unchanged.
        false_alarms_per_year: accepted rate for each robot.
        simulations: simulated years for each robot's threshold.
        seed: of these.
        known: by robots what an earlier call with the same settings found, which is not computed
            again where the history is the same.
        progress: called with the number of robots that are done, and that of all.

    Returns:
        the robots, those first that need a person.

    Raises:
        TaskError: the cluster ended.
    """
    histories: dict[str, History] = {}
    problems: dict[str, str] = {}
    drifts: dict[str, Drift] = {}

    def work() -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield robots with the arguments of ``_detect``, read when a worker is free."""
        for robot in results.robots:
            try:
                history, rows = robot_history(results, robot)
                histories[robot] = history
                before = (known or {}).get(robot)
                if before is not None and before.history.equals(history):
                    drifts[robot] = before
                    continue
                text = read_text(model_path(results, best_row(history, rows, reference)))
            except DynidError as problem:
                problems[robot] = str(problem)
                continue
            yield robot, (text, history, reference, false_alarms_per_year, simulations, seed)

    for robot, found in completed(client, _detect, work()):
        if isinstance(found, Drift):
            # the worker's copy of the history would take the same memory again
            drifts[robot] = replace(found, history=histories[robot])
        else:
            problems[robot] = found if isinstance(found, str) else f"{robot}: its process ended."
        progress(len(drifts) + len(problems), len(results.robots))
    return _states(results, histories, drifts, problems)


def _detect(
    text: str, history: History, reference: int, rate: float, simulations: int, seed: int
) -> Drift | str:
    """Return the changes of a robot, whose model.yaml is ``text``; a sentence if there are none.

    What is wrong with one robot must not end the others.
    """
    try:
        return detect_drift(
            parse_model(text, f"model of {history.robot}", make_robot),
            history,
            reference=reference,
            false_alarms_per_year=rate,
            simulations=simulations,
            seed=seed,
        )
    except DynidError as problem:
        return str(problem)


def _states(
    results: FleetResults,
    histories: Mapping[str, History],
    drifts: Mapping[str, Drift],
    problems: Mapping[str, str],
) -> tuple[RobotState, ...]:
    """Return the robots by what needs a person, each compared with those of its type."""
    table = results.recordings
    columns = [table[name].to_pylist() for name in ("robot", "type", "status")]
    types = dict(zip(*columns[:2], strict=True))
    counts = Counter(columns[0])
    failed = Counter(
        one for one, status in zip(columns[0], columns[2], strict=True) if status == "failed"
    )
    units = dict(
        zip(*(results.parameters[name].to_pylist() for name in ("parameter", "unit")), strict=True)
    )
    by_type: dict[str, dict[str, History]] = defaultdict(dict)
    for robot, history in histories.items():
        by_type[types[robot]][robot] = history
    unusual = {
        robot: found
        for mine in by_type.values()
        for robot, found in find_unusual(mine, units).items()
    }
    states = [
        RobotState(
            robot,
            types[robot],
            counts[robot],
            failed[robot],
            drifts.get(robot),
            problems.get(robot),
            unusual.get(robot, ()),
        )
        for robot in results.robots
    ]
    return tuple(sorted(states, key=lambda one: (*one.urgency, one.robot)))
