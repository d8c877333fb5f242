"""YAML files into typed, validated, frozen objects; every mistake named by file, key and expectation."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from dynid.errors import ConfigurationError


class Settings(BaseModel):
    """Base of every validated group of settings: immutable, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


SettingsT = TypeVar("SettingsT", bound=Settings)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping.

    Raises:
        ConfigurationError: the file is missing, unreadable, not YAML, or not a mapping.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: there is no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read as text ({error}).") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise ConfigurationError(f"{path}: is not valid YAML{line}.") from None
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: must hold a mapping (key: value) at its top level.")
    return content


def parse(settings_type: type[SettingsT], content: Mapping[str, Any], where: str) -> SettingsT:
    """Validate ``content`` as ``settings_type``; ``where`` names the file in error messages.

    Raises:
        ConfigurationError: one sentence naming file, key, what was found and what is expected.
    """
    try:
        return settings_type.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError(_sentence(settings_type, error, where)) from None


def _sentence(settings_type: type[Settings], error: ValidationError, where: str) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        known = _known_keys(settings_type, first["loc"][:-1])
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean '{near[0]}'" if near else f"known keys are {', '.join(known)}"
        return f"{where}: unknown key '{key}'; {hint}."
    if first["type"] == "missing":
        return f"{where}: key '{key}' is missing."
    # a validator's own ValueError reads as a sentence already; pydantic's need the value they saw
    message = first["msg"].removeprefix("Value error, ")
    seen = "" if first["type"] == "value_error" else f", got {first['input']!r}"
    return f"{where}: key '{key}': {message[0].lower()}{message[1:].rstrip('.')}{seen}."


def _known_keys(settings_type: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Keys of the (nested) settings group that ``path`` leads to, as far as it can be followed."""
    group: type[BaseModel] = settings_type
    for part in path:
        field = group.model_fields.get(str(part))
        for candidate in _model_types(field.annotation if field else None):
            group = candidate
    return sorted(group.model_fields)


def _model_types(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in getattr(annotation, "__args__", ()) for found in _model_types(part)]
