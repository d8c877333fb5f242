"""model.yaml as the parameters that a ROS 2 node takes one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dynid.configuration import yaml_mapping

ParameterValue = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


def ros_parameters(text: str, where: str) -> dict[str, ParameterValue]:
    """The parameters in the text of a parameter file, by name, dots for nesting.

    Args:
        text: A file for any node (``/**``), as dynid writes it.
        where: Names the text in error messages.

    Raises:
        ConfigurationError: The text is not YAML.
    """
    content = yaml_mapping(text, where)
    return dict(_flat(content["/**"]["ros__parameters"], ""))


def _flat(values: Mapping[str, object], prefix: str) -> Iterator[tuple[str, ParameterValue]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool | int | float | str | list):
            yield f"{prefix}{key}", value
