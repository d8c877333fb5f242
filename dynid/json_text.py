"""Results as JSON for other programs, written and read by pydantic.

A dataclass becomes an object of its fields, an array a list, a path or an enumeration a string, and
a number that is not finite null. When read, null becomes NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import to_jsonable_python

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Figure = Annotated[float, BeforeValidator(lambda value: math.nan if value is None else value)]
"""A number of a dataclass that may be NaN; null is read as NaN."""


def json_text(content: object) -> str:
    """Return JSON, in ASCII, of dataclasses, arrays, dicts and lists."""
    return json.dumps(json_content(content), allow_nan=False)


def json_content(content: object) -> Any:
    """Return the same with the types of JSON: dicts, lists, strings, numbers, None."""
    return to_jsonable_python(content, inf_nan_mode="null", fallback=_of_numpy)


def json_fields(result: DataclassInstance, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return a dataclass's fields by name, ``without`` some of them."""
    names = [field.name for field in fields(result) if field.name not in set(without)]
    return {name: getattr(result, name) for name in names}


def json_by(
    key: str, results: Iterable[DataclassInstance], *, without: Iterable[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the fields of several dataclasses, by the value of the field ``key``."""
    return {
        getattr(result, key): json_fields(result, without=(key, *without)) for result in results
    }


def _of_numpy(value: Any) -> Any:
    return value.tolist()
