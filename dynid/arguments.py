"""Checks of the arguments of public functions, with one sentence for each mistake."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from dynid.errors import ArgumentError

Parameters = ParamSpec("Parameters")
ResultT = TypeVar("ResultT")


def checked_call(function: Callable[Parameters, ResultT]) -> Callable[Parameters, ResultT]:
    """Let a public function raise an ArgumentError where it is called with other arguments."""
    signature = inspect.signature(function)
    expected = ", ".join(
        str(one.replace(annotation=one.empty, default=one.empty))
        + ("" if one.default is one.empty else "=...")
        for one in signature.parameters.values()
    )

    @wraps(function)
    def checked(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> ResultT:
        try:
            signature.bind(*arguments, **keywords)
        except TypeError as error:
            name = function.__name__
            raise ArgumentError(f"{name}(): {error}; expected {name}({expected}).") from None
        return function(*arguments, **keywords)

    return checked


def check_type(name: str, value: object, kind: type, hint: str) -> None:
    """Raise an ArgumentError unless a value is of a type."""
    if not isinstance(value, kind):
        shown = repr(value) if isinstance(value, str | int | float) else ""
        got = f"{type(value).__name__} {shown}".rstrip()
        raise ArgumentError(f"{name} must be a {kind.__name__} ({hint}), got {got}.")


def check_number(
    name: str,
    value: object,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    whole: bool = False,
) -> None:
    """Raise an ArgumentError unless a value is a finite number within bounds.

    Args:
        name: of the function and its argument.
        value: given value.
        least: smallest allowed value.
        above: value that it must exceed.
        most: largest allowed value.
        whole: whether it must be an integer.
    """
    number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if number and math.isfinite(value) and least <= value <= most and value > above:  # type: ignore[operator, arg-type]
        return
    bound = f" of {least:g} or more" if math.isfinite(least) else ""
    bound = f" above {above:g}" if math.isfinite(above) else bound
    bound = f" from {least:g} to {most:g}" if math.isfinite(most) else bound
    kind = "an integer" if whole else "a number"
    raise ArgumentError(f"{name} must be {kind}{bound}, got {value!r}.")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise an ArgumentError unless a value is one of the choices."""
    if value not in choices:
        raise ArgumentError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")


def check_path(name: str, value: object) -> None:
    """Raise an ArgumentError unless a value is the path of a file."""
    if not isinstance(value, str | Path):
        raise ArgumentError(f"{name} must be the path of a file, got {type(value).__name__}.")
