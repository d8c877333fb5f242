"""The history of one robot of a fleet, from the rows of its data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import term_kinds
from dynid.errors import EstimationError
from dynid.text import printable
from dynid_plugins.fleet.dataset import FleetResults
from dynid_plugins.fleet.drift.history import History, common_parameters, without_repeatability

Row = Mapping[str, Any]


def robot_history(results: FleetResults, robot: str) -> tuple[History, tuple[Row, ...]]:
    """Return the history of a robot, and the rows of its recordings in the same order.

    Recordings that were not identified, failed their criterion or have no date are left out; so
    are base parameters that not every recording determines with the same regrouping.

    Raises:
        EstimationError: there are too few recordings or parameters in common, two recordings
            of the same time, or numbers of a recording that contradict each other.
    """
    mine = results.of_robot(robot)
    rows = mine.recordings.to_pylist()
    good = [row for row in rows if row["verdict"] == "pass"]
    used = sorted((r for r in good if r["recorded_at"]), key=lambda row: row["recorded_at"])
    notes = _notes(rows, good, used)
    if len(used) < 2:
        raise EstimationError(f"{robot}: {len(used)} recordings are usable. {' '.join(notes)}")
    parameters: dict[str, list[Row]] = {row["recording"]: [] for row in used}
    for one in mine.parameters.to_pylist():
        if one["recording"] in parameters:
            parameters[one["recording"]].append(one)
    for row in used:
        _check(robot, row, parameters[row["recording"]])
    names = common_parameters([_determined(parameters[row["recording"]]) for row in used])
    if not names:
        raise EstimationError(
            f"{robot}: its recordings have no base parameters in common; identify them with the "
            "same joint terms, and prefer one motion."
        )
    read = [_read(row, parameters[row["recording"]], names) for row in used]
    temperatures = [row["temperature"] for row in used]
    history = History(
        robot,
        np.array([row["recorded_at"].timestamp() for row in used]),
        names,
        np.array([values for values, _ in read]),
        np.array([covariance for _, covariance in read]),
        None if None in temperatures else np.array(temperatures, dtype=float),
        tuple(notes),
    )
    return history, tuple(used)


def best_row(history: History, rows: Sequence[Row], reference: int) -> Row:
    """Return the row among the first ones whose parameters are known best."""
    known = [np.linalg.slogdet(one)[1] for one in history.covariances[:reference]]
    return rows[int(np.argmin(known))]


def model_path(results: FleetResults, row: Row) -> Path:
    """Return the path of the model of a recording."""
    return results.folder / str(row["model"])


def _notes(rows: list[Row], good: list[Row], used: list[Row]) -> list[str]:
    failed = sum(row["status"] == "failed" for row in rows)
    poor = len(rows) - failed - len(good)
    undated = len(good) - len(used)
    counts = (
        (failed, "could not be identified"),
        (poor, "failed their criterion"),
        (undated, "have no date (state it in the table of the type)"),
    )
    return [f"Left out: {count} recordings that {why}." for count, why in counts if count]


def _determined(parameters: Sequence[Row]) -> dict[str, str]:
    """Return the regroupings of parameters with an uncertainty."""
    known = (one for one in parameters if one["standard_deviation"] > 0)
    return {one["parameter"]: one["regrouping"] for one in known}


def _check(robot: str, row: Row, parameters: Sequence[Row]) -> None:
    """Raise unless the numbers of a recording, which another program may have written, agree."""
    count, covariance = len(parameters), row["covariance"] or []
    numbers = [*covariance, row["friction_repeatability"], row["temperature"]]
    numbers += [one[name] for one in parameters for name in ("value", "standard_deviation")]
    if (
        len(covariance) == count * (count + 1) // 2
        and sorted(one["index"] for one in parameters) == list(range(count))
        and len({one["parameter"] for one in parameters}) == count
        and all(one is None or isfinite(one) for one in numbers)
        and None not in covariance
    ):
        return
    raise EstimationError(
        f"{robot}: the parameters of recording '{printable(row['recording'])}' do not agree with "
        "their covariance, or are not finite; the data set was altered: dynid fleet identify "
        "--again writes it again."
    )


def _read(row: Row, parameters: Sequence[Row], names: Sequence[str]) -> tuple[Array, Array]:
    """Return values (k,) and covariance (k, k), without the share for another recording."""
    rubs = {kind.name for kind in term_kinds() if kind.dissipative}
    count = len(parameters)
    lower = np.zeros((count, count))
    lower[np.tril_indices(count)] = row["covariance"]
    whole = lower + np.tril(lower, -1).T
    places = {one["parameter"]: one for one in parameters}
    chosen = [places[name]["index"] for name in names]
    values = np.array([places[name]["value"] for name in names])
    friction = [places[name]["kind"] in rubs for name in names]
    covariance = without_repeatability(
        whole[np.ix_(chosen, chosen)],
        values,
        np.array(friction),
        row["friction_repeatability"] or 0.0,
    )
    return values, covariance
