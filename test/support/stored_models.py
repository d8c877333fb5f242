"""Models as they are stored, and models of other robots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml
from numpy.typing import ArrayLike

from dynid.robot.model import Model
from dynid.robot.provenance import ModelErrors
from dynid.robot.robot import Robot


def model_entries(text: str | bytes) -> dict[str, Any]:
    """Return the entries below ``model`` in a model.yaml."""
    entries: dict[str, Any] = yaml.safe_load(text)["/**"]["ros__parameters"]["model"]
    return entries


def of_another_robot(model: Model, robot: Robot, parameters: ArrayLike) -> Model:
    """Return an identified model with another robot, and its first joint's errors for all."""
    assert model.errors is not None
    columns = vars(model.errors).items()
    errors = {name: (*column[:1],) * len(robot.joints) for name, column in columns}
    return replace(
        model,
        robot=robot,
        mechanism=robot.mechanism().with_parameters(parameters),
        errors=ModelErrors(**errors),
        determined=(),
    )
