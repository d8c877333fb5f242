"""The thresholds in a model.yaml: a group ``collision`` of ROS 2 parameters beside ``model``.

A controller that is given the file is given both together. The seal does not cover the group, as
other thresholds do not change the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dynid.configuration import changed, yaml_mapping
from dynid.errors import ConfigurationError, ModelFileError
from dynid.robot.parameter_file import ANY_NODE, PARAMETERS, Value, group_text
from dynid.robot.robot import Robot, check_counts
from dynid.robot.torque_settings import CollisionSettings
from dynid.yaml_text import rewritten

COLLISION = CollisionSettings.group


def stored_thresholds(content: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return the group in the content of a model.yaml; empty if it has none.

    Raises:
        ConfigurationError: the entry is no group.
    """
    thresholds = content[ANY_NODE][PARAMETERS].get(COLLISION) or {}
    if not isinstance(thresholds, Mapping):
        raise ConfigurationError(f"{where}: '{COLLISION}' must be a group of names and values.")
    return thresholds


def with_threshold_parameters(robot: Robot, parameters: Mapping[str, Any], where: str) -> Robot:
    """Return a robot with a controller's parameters ``collision`` among its settings.

    Raises:
        ConfigurationError: a parameter is unknown or invalid, or they do not match the joints.
    """
    if not parameters:
        return robot
    settings = changed(robot.settings(CollisionSettings), parameters, f"{where}: {COLLISION}")
    try:
        check_counts(settings, len(robot.joints))
    except ValueError as error:
        raise ConfigurationError(f"{where}: {COLLISION}: {error}.") from None
    return robot.with_settings(settings)


def text_with_thresholds(
    text: str, parameters: Mapping[str, Value], remarks: Sequence[str], where: str
) -> str:
    """Return the text of a model.yaml with other thresholds; all other bytes stay.

    Raises:
        ModelFileError: the file is written in a form of YAML that is not supported here.
    """
    content = yaml_mapping(text, where)
    others = {
        name: value for name, value in content[ANY_NODE][PARAMETERS].items() if name != COLLISION
    }
    bare = text
    if COLLISION in content[ANY_NODE][PARAMETERS]:
        bare = rewritten(text, {**content, ANY_NODE: {PARAMETERS: others}}) or ""
    edited = bare.rstrip("\n") + "\n" + group_text(COLLISION, parameters, remarks)
    expected = {PARAMETERS: {**others, COLLISION: parameters}}
    # repr, because NaN is not equal to itself
    if not bare or repr(_read(edited)) != repr({**content, ANY_NODE: expected}):
        raise ModelFileError(
            f"{where}: thresholds cannot be added in place; write its entries in block style, as "
            "dynid does, or use a file of thresholds of their own (-o)."
        )
    return edited


def _read(text: str) -> Mapping[str, Any]:
    try:
        return yaml_mapping(text, "the new text")
    except ConfigurationError:
        return {}
