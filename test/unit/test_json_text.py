"""JSON of results: dataclasses, arrays, paths, and numbers that are not finite."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from dynid.configuration import Settings
from dynid.json_text import Figure, json_by, json_content, json_fields, json_text


class Side(Enum):
    motor = "motor"


class Moved(Settings):
    span: tuple[float, ...] = (1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Part:
    joint: str
    error: Figure
    values: Any = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.array([[1.0, math.nan], [math.inf, 2.0]]), [[1.0, None], [None, 2.0]]),
        (np.array([True, False]), [True, False]),
        (np.float64(-math.inf), None),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (0.1, 0.1),
        (10**30, 10**30),
        (Path("a/b.yaml"), "a/b.yaml"),
        (Side.motor, "motor"),
        (Moved(), {"span": [1.0, 2.0]}),
        ((1, "two", None), [1, "two", None]),
        (
            Part("elbow", math.nan, {"x": np.zeros(1)}),
            {"joint": "elbow", "error": None, "values": {"x": [0.0]}},
        ),
    ],
)
def test_every_type_of_a_result_has_its_json(value: object, expected: object) -> None:
    read = json.loads(json_text({"value": value}))
    assert read == {"value": expected}
    assert type(read["value"]) is type(expected)
    assert json_content(value) == expected


def test_numbers_keep_all_their_digits() -> None:
    numbers = np.random.default_rng(1).normal(size=100) * 10.0 ** np.arange(-50, 50)
    assert json.loads(json_text(numbers)) == numbers.tolist()


def test_the_text_is_ascii_whatever_it_holds() -> None:
    # Python represents a file name that is not UTF-8 with lone surrogates
    names = ["Gelenk_ü", "关节", "\udcff"]
    assert json_text(names).isascii()
    assert json.loads(json_text(names)) == names


def test_results_are_keyed_by_one_of_their_fields() -> None:
    parts = [Part("shoulder", 1.0, 2), Part("elbow", 3.0, 4)]
    assert json_by("joint", parts, without=["values"]) == {
        "shoulder": {"error": 1.0},
        "elbow": {"error": 3.0},
    }
    assert list(json_fields(parts[0])) == ["joint", "error", "values"]


def test_null_is_read_as_nan_where_a_number_need_not_be_finite() -> None:
    read = TypeAdapter(Part).validate_json(json_text(Part("elbow", math.inf)))
    assert read.joint == "elbow"
    assert math.isnan(read.error)
    with pytest.raises(ValidationError):
        TypeAdapter(Part).validate_json('{"joint": null, "error": 1}')


def test_other_types_are_a_programming_error() -> None:
    with pytest.raises(AttributeError, match="tolist"):
        json_text({"robot": object()})
