"""YAML files as typed, immutable objects; errors name file, key and expected value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from dynid.errors import ConfigurationError
from dynid.guessed_names import meant_name
from dynid.input_file import read_text
from dynid.text import printable
from dynid.yaml_text import load_yaml

if TYPE_CHECKING:
    from typing_extensions import Self

KeyPath = tuple[int | str, ...]

_T = TypeVar("_T")

_NO_NUMBER = "true_is_no_number"
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")  # of a model, of a dataclass
# names of the types of a YAML entry, in place of pydantic's error types
_TYPES = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a group of keys and values",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "literal_error": "{expected}",
    "model_type": "a group of keys and values",
    "string_type": "text",
    "tuple_type": "a list",
}


OF_PYDANTIC = frozenset(name for name in dir(BaseModel) if not name.startswith("_"))
"""Public names of every class of settings, such as ``parse_obj``, that no user needs."""


class Settings(BaseModel):
    """Base of all validated groups of settings: immutable, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def __dir__(self) -> list[str]:
        """Return the names that dynid gives a meaning, without those of pydantic."""
        return sorted(set(super().__dir__()) - OF_PYDANTIC)

    if not TYPE_CHECKING:  # a type checker must refuse the assignment

        def __setattr__(self, name: str, value: object) -> None:
            """Set a private attribute, or raise a ConfigurationError."""
            if not name.startswith("_"):
                raise ConfigurationError(
                    f"'{name}' of {type(self).__name__} cannot be changed: it is given in the "
                    "profile, or when a robot is loaded, as dynid.load_robot(FILE, "
                    "overrides=['KEY=VALUE'])."
                )
            super().__setattr__(name, value)

    @model_validator(mode="before")
    @classmethod
    def _true_is_no_number(cls, content: object) -> object:
        """Reject YAML's ``yes``, ``on`` and ``true``, which pydantic would convert to 1."""
        for name, value in content.items() if isinstance(content, Mapping) else ():
            field = cls.model_fields.get(name)
            types = _leaf_types(field.annotation) if field else set()
            values = value if isinstance(value, list) else [value]
            expects_number = bool(types & {float, int}) and bool not in types
            if expects_number and any(isinstance(value, bool) for value in values):
                raise PydanticCustomError(
                    _NO_NUMBER,
                    "must be a number, not true or false (YAML's yes, no, on and off)",
                    {"key": name},
                )
        return content


class ControlSettings(Settings):
    """Settings of a controller: cpp/generate_settings.py makes members, bounds, parameters of them.

    A docstring below each field has the unit in brackets, and what None means at the end.

    Attributes:
        struct: the struct of C++ that has them as members.
        parameters: group of the controllers' parameters; "": those without a group.
    """

    struct: ClassVar[str]
    parameters: ClassVar[str]


class TaskSettings(Settings):
    """Settings of one task: a group of the profile that only the task's package uses.

    Attributes:
        group: the group's key in a profile.
        kept_with_model: whether a model.yaml contains the group, because recordings for the
            evaluation of the model are read and filtered with it, or a controller needs it.
    """

    group: ClassVar[str]
    kept_with_model: ClassVar[bool] = False

    def content(self, *, exclude_unset: bool = False) -> dict[str, Any]:
        """Return the group as a mapping for YAML."""
        return self.model_dump(mode="json", exclude_unset=exclude_unset)

    def as_decided(self, decided: TaskSettings) -> Self:
        """Return the settings with what they leave to the data as it was decided for a model."""
        del decided  # nothing is left to the data here
        return self


def _broadcastable(value: object) -> object:
    """Convert a single number, which applies to every joint, to a tuple of one."""
    return (value,) if isinstance(value, int | float | str) else value


PerJoint = Annotated[tuple[float, ...], BeforeValidator(_broadcastable)]
PerJointPositive = Annotated[tuple[PositiveFloat, ...], BeforeValidator(_broadcastable)]
PerJointNotNegative = Annotated[tuple[NonNegativeFloat, ...], BeforeValidator(_broadcastable)]
PerJointPositiveOrNone = Annotated[
    tuple[PositiveFloat | None, ...], BeforeValidator(_broadcastable)
]
PerJointAddress = Annotated[
    tuple[Annotated[int, Field(ge=0, le=0xFFFF)], ...], BeforeValidator(_broadcastable)
]
PerJointSwitch = Annotated[tuple[bool, ...], BeforeValidator(_broadcastable)]
"""One value for every joint, or one for all."""


def per_joint(
    values: Sequence[float] | NDArray[np.float64], joints: int, name: str
) -> NDArray[np.float64]:
    """Return one value for each joint (n,), from n values or one for all.

    Raises:
        ConfigurationError: there are neither 1 nor n values.
    """
    if len(values) not in (1, joints):
        raise ConfigurationError(f"'{name}' has {len(values)} values, expected 1 or {joints}.")
    return np.full(joints, values, dtype=np.float64)


def _no_cycles(value: object) -> object:
    """Reject a number of control cycles, in which delays were given before."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 1:
        raise ValueError(
            f"delays are in seconds, not in control cycles: write {value / 1000:g} for {value:g} "
            "cycles at 1000 cycles per second"
        )
    return value


@dataclass(frozen=True)
class Otherwise:
    """What a controller has in place of None, or accepts besides the range of a setting."""

    value: float


Live = Annotated[_T, "live"]
"""A setting that can be changed while the controller runs."""

Delay = Annotated[float, BeforeValidator(_no_cycles), Field(ge=0, le=0.5)]
"""A delay of control or of drives [s]."""

PerJointDelay = Annotated[tuple[Delay, ...], BeforeValidator(_broadcastable)]
"""One for every joint, or one for all."""

SettingsT = TypeVar("SettingsT", bound=Settings)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping.

    Raises:
        ConfigurationError: the file is missing, unreadable, not YAML, or not a mapping.
    """
    return yaml_mapping(read_text(path), printable(path))


def yaml_mapping(text: str, where: str) -> dict[str, Any]:
    """Return the mapping in a YAML text; ``where`` names the text in error messages.

    Raises:
        ConfigurationError: the text is not YAML, not a mapping, or larger than
            :mod:`dynid.limits` allows.
    """
    content = load_yaml(text, where)
    if not isinstance(content, dict):
        raise ConfigurationError(f"{where}: must be a mapping (key: value) at its top level.")
    return content


def parse(
    settings_type: type[SettingsT],
    content: Mapping[str, Any],
    where: str,
    *,
    others: Sequence[str] = (),
) -> SettingsT:
    """Validate ``content`` as ``settings_type``.

    Args:
        settings_type: the group of settings.
        content: values by their keys.
        where: names the file in error messages.
        others: keys that the caller takes besides, of which an unknown one may mean one.

    Raises:
        ConfigurationError: one sentence with file, key, given value and expected value.
    """
    try:
        return settings_type.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError(_sentence(settings_type, error, content, where, others)) from None


def changed(
    settings: SettingsT, changes: Mapping[str, Any], where: str, *, others: Sequence[str] = ()
) -> SettingsT:
    """Return settings with some keys replaced, validated as a whole.

    Raises:
        ConfigurationError: a key is unknown, or a value is invalid.
    """
    given = {name: getattr(settings, name) for name in settings.model_fields_set}
    return parse(type(settings), given | dict(changes), where, others=others)


def _sentence(
    settings_type: type[Settings],
    error: ValidationError,
    content: object,
    where: str,
    others: Sequence[str],
) -> str:
    # a misspelled key first: it is the reason why another one is missing
    errors = sorted(error.errors(include_url=False), key=lambda e: e["type"] not in _UNKNOWN_KEY)
    first, path = errors[0], _path(errors[0], content)
    if first["type"] in _UNKNOWN_KEY:
        *parents, key = path
        known = _known_keys(settings_type, first["loc"][:-1])
        known = known if parents else sorted([*known, *others])
        near = meant_name(str(key), known)
        hint = f"did you mean '{near}'" if near else f"known keys are {', '.join(known)}"
        return f"{where}: unknown {_place((*parents, str(key)[:60]))}; {hint}."
    if _misses_a_key(first):
        return f"{where}: {_place(path)} is missing."
    path, meant = _closest(errors, content)
    place = f"{_place(path)}: " if path else ""
    # a validator's own ValueError is a sentence already; the others need the given value
    seen = (
        ""
        if meant[0]["type"] in {"value_error", _NO_NUMBER}
        else f", got {_shown(meant[0]['input'])}"
    )
    return f"{where}: {place}{_expectation(meant)}{seen}."


def _closest(errors: list[ErrorDetails], content: object) -> tuple[KeyPath, list[ErrorDetails]]:
    """Return the errors to report, all at one place.

    If an entry may have several types, pydantic reports errors for each of them. Those at the
    deepest place, or of a value out of bounds only, are most likely for the intended type.
    """
    first = _path(errors[0], content)
    paths = [_path(error, content) for error in errors]
    rivals = [path for path in paths if path[: len(first)] == first]
    deepest = max(rivals, key=len)
    errors_there = [error for error, path in zip(errors, paths, strict=True) if path == deepest]
    return deepest, [error for error in errors_there if error["type"] not in _TYPES] or errors_there


def _path(error: ErrorDetails, content: object) -> KeyPath:
    """Return the place of an error in ``content``, without pydantic's names of alternatives."""
    path: list[int | str] = []
    for part in error["loc"]:
        if isinstance(content, Mapping | list | tuple):
            with suppress(LookupError, TypeError):
                content = content[part]  # type: ignore[index]
                path.append(part)
    if error["type"] == _NO_NUMBER:
        path.append(error["ctx"]["key"])
    return (*path, error["loc"][-1]) if _misses_a_key(error) else tuple(path)


def _misses_a_key(error: ErrorDetails) -> bool:
    """Return whether a key is missing; pydantic's type is the same for a tuple too short."""
    return error["type"] == "missing" and isinstance(error["loc"][-1], str)


def _place(path: KeyPath) -> str:
    """Return ``key 'side' in entry 1 of key 'terms'``: keys with dots, entries from 1."""
    place = ""
    for is_entry, run in groupby(path, key=lambda part: isinstance(part, int)):
        if is_entry:
            for number in run:
                place = f"entry {int(number) + 1} of {place}"
        else:
            key = ".".join(str(part) for part in run)
            place = f"key '{key}'" + (f" in {place}" if place else "")
    return place


def _expectation(errors: list[ErrorDetails]) -> str:
    kind, context = errors[-1]["type"], errors[-1].get("ctx", {})
    if kind == "missing":
        return f"must have {int(errors[-1]['loc'][-1]) + 1} values"
    if kind in {"too_long", "too_short"}:
        count = context.get("max_length", context.get("min_length", 0))
        limit = "most" if kind == "too_long" else "least"
        return f"must have at {limit} {count} value{'' if count == 1 else 's'}"
    if kind not in _TYPES:
        message = errors[-1]["msg"].removeprefix("Value error, ").rstrip(".")
        return message.replace("Input should be", "must be")
    names = [_TYPES[e["type"]].format(**e.get("ctx", {})) for e in errors]
    return f"must be {', or '.join(dict.fromkeys(names))}"


def _shown(value: object) -> str:
    """Return a value in YAML notation, shortened if it is long."""
    text = repr(value)
    text = {"None": "null", "True": "true", "False": "false"}.get(text, text)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _known_keys(settings_type: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Return the keys of the (nested) settings group at ``path``, as far as it exists."""
    group: type = settings_type
    alternatives: list[type] = []
    for part in path:
        field = _fields(group).get(str(part))
        alternatives = _model_types(field.annotation if field else None) or alternatives
        tagged = [a for a in alternatives if "type" in _fields(a)]
        named = [a for a in tagged if _fields(a)["type"].default == part]
        group = (named or alternatives or [group])[-1]
    if is_dataclass(group):
        return sorted(one.name for one in fields(group))
    return sorted(field.alias or name for name, field in _fields(group).items())


def _fields(group: type) -> Mapping[str, FieldInfo]:
    return group.model_fields if issubclass(group, BaseModel) else {}


def _leaf_types(annotation: object) -> set[object]:
    parts = getattr(annotation, "__args__", ())
    return {leaf for part in parts for leaf in _leaf_types(part)} if parts else {annotation}


def _model_types(annotation: object) -> list[type]:
    if isinstance(annotation, type) and (
        issubclass(annotation, BaseModel) or is_dataclass(annotation)
    ):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _model_types(part)]
