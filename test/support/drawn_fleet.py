"""The data set of a fleet whose parameters are drawn from a model's covariance: no recordings.

Hundreds of robots in seconds, with changes at known days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.file_names import encoded_file_name
from dynid.robot.model import Model
from dynid_plugins.fleet.dataset import writer
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.listing import Entry
from dynid_plugins.fleet.work import _parameters, _row
from support.drifting import Sizes, drawn_history
from support.synthetic import arm_robot, recorded, true_parameters

FIRST = datetime(2026, 3, 1, 8, tzinfo=timezone.utc)


@dataclass(frozen=True)
class DrawnRobot:
    """A robot of the fleet.

    Attributes:
        name, type: of the robot.
        days: number of its recordings, one a day.
        cause: kind and joint of its change; None for none.
        size: of the change at each recording.
        failed: recordings that could not be identified, from the last one back.
        warmth: relative change of friction for each kelvin; temperatures are recorded if not 0.
    """

    name: str
    type: str = "arm"
    days: int = 40
    cause: tuple[str, str] | None = None
    size: Sizes = lambda _: 0.0
    failed: int = 0
    warmth: float = 0.0


@cache
def arm_model() -> Model:
    """Return an identified three-joint arm, whose covariance has no share that varies by value."""
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.3, seed=1)
    return dynid.identify(robot, recording, friction_repeatability=0.0).model


def write_drawn_fleet(
    folder: Path, robots: Sequence[DrawnRobot], *, model: Model | None = None
) -> Path:
    """Write the data set of robots with the parameters and covariance of one model."""
    model = arm_model() if model is None else model
    with writer(folder) as data:
        for number, robot in enumerate(robots):
            _add(data, robot, model, number)
    return folder


def _add(data: Any, robot: DrawnRobot, model: Model, seed: int) -> None:
    history = drawn_history(
        model, robot.days, cause=robot.cause, size=robot.size, warmth=robot.warmth, seed=seed
    )
    rows, parameters, models = [], [], {}
    template = _parameters(model, _recording(robot, model, history, 0))
    for day in range(robot.days + robot.failed):
        row = _recording(robot, model, history, day)
        if day < robot.days:
            mine = _with_values(model, history, day)
            parameters += [
                one
                | {key: row[key] for key in ("recording", "content_sha256")}
                | {"value": float(mine.base.values[one["index"]])}
                for one in template
            ]
            models[row["model"]] = mine.text()
        rows.append(row)
    data.replace(robot.name, rows, parameters, models)


def _recording(robot: DrawnRobot, model: Model, history: History, day: int) -> dict[str, Any]:
    place = f"{robot.name}/{(FIRST + timedelta(days=day)).date()}.mcap"
    row = _row(
        Entry(
            robot.name,
            robot.type,
            place,
            recorded_at=FIRST + timedelta(days=day),
            temperature=None,
            fingerprint=place,
        )
    )
    row |= {"content_sha256": f"{day:064x}", "settings_sha256": "0" * 64, "seconds": 1.0}
    if day >= robot.days:
        return row | {"message": f"{place}: has 12 samples; at least 100 are needed."}
    covariance = model.base.covariance_of(model.base.names)
    errors = np.array([0.031, 0.042, 0.055]) * (1 + 0.1 * np.sin(day))
    return row | {
        "temperature": None
        if history.temperatures is None
        else round(float(history.temperatures[day]), 1),
        "status": "identified",
        "verdict": "pass",
        "duration": 60.0,
        "samples": 12000,
        "joints": list(model.mechanism.joints),
        "relative_error": errors.tolist(),
        "held_out_error": (1.1 * errors).tolist(),
        "torque_error": (10 * errors).tolist(),
        "covariance": covariance[np.tril_indices(len(covariance))].tolist(),
        "friction_repeatability": model.base.friction_repeatability,
        "model": f"models/{encoded_file_name(robot.name)}/{day}.yaml",
    }


def _with_values(model: Model, history: History, day: int) -> Model:
    """Return the model with the drawn values of its base parameters."""
    base = base_parameterization(model.mechanism)
    values, parameters = model.base.values.copy(), model.mechanism.parameters.copy()
    for name, value in zip(history.names, history.values[day], strict=True):
        place = model.base.names.index(name)
        # the column of a base parameter changes it alone
        parameters[base.independent[base.names.index(name)]] += value - values[place]
        values[place] = value
    return replace(
        model,
        mechanism=model.mechanism.with_parameters(parameters),
        base=replace(model.base, values=values),
    )
