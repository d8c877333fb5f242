"""Histories of parameters that change at a known recording, drawn from a model's covariance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynid.robot.model import Model
from dynid_plugins.fleet.drift.causes import find_causes, friction_groups
from dynid_plugins.fleet.drift.history import DAY, History, history_of_models

Sizes = Callable[[int], float]
"""Size of a change at each recording, counted from 0."""


def drawn_history(
    model: Model,
    count: int,
    *,
    cause: tuple[str, str] | None = None,
    size: Sizes = lambda _: 0.0,
    variation: float = 0.03,
    memory: float = 0.0,
    warmth: float = 0.0,
    seed: int = 0,
) -> History:
    """Draw a history of one recording a day.

    Args:
        model: whose parameters, covariance and robot it is of.
        count: number of recordings.
        cause: kind and joint of the change.
        size: of it; of a payload the mass of a point at the flange.
        variation: relative standard deviation of friction's between-days component.
        memory: correlation of this component from day to day.
        warmth: relative change of friction for each kelvin; temperatures are recorded if not 0.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    plain = history_of_models([model, model], [0.0, DAY])
    groups = friction_groups(model, plain.names, plain.covariances)
    within = plain.covariances[0]
    values = plain.values[0] + random.multivariate_normal(np.zeros(len(within)), within, count)
    days = random.standard_normal((count, len(within)))
    for day in range(1, count):
        days[day] = memory * days[day - 1] + np.sqrt(1 - memory**2) * days[day]
    values += variation * groups.sizes * days
    temperatures = None
    if warmth:
        temperatures = 22 + 4 * random.standard_normal(count)
        values += warmth * (temperatures - 22)[:, None] * groups.sizes
    if cause is not None:
        found = next(
            one for one in find_causes(model, plain.names) if (one.kind, one.joint) == cause
        )
        values += np.outer([size(i) for i in range(count)], found.signature[:, 0])
    covariances = np.repeat(within[None], count, axis=0)
    return History("arm", DAY * np.arange(count), plain.names, values, covariances, temperatures)
