"""Each mistake in a YAML file gives one sentence, without terms of pydantic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, PositiveFloat, field_validator

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot


class Part(Settings):
    side: Literal["left", "right"] = "left"
    size: PositiveFloat = 1.0


class Whole(Settings):
    name: str
    count: int = 0
    switch: bool = False
    height: float | None = None
    vector: tuple[float, float, float] = (0.0, 0.0, 0.0)
    some: Annotated[tuple[float, ...], Field(min_length=2)] = (1.0, 2.0)
    level: PositiveFloat | tuple[PositiveFloat, ...] | None = None
    which: tuple[str, ...] | Literal["all"] = "all"
    part: Part = Part()
    parts: tuple[Part, ...] = ()
    rows: tuple[tuple[float, float], ...] = ()
    named: dict[str, float] = Field(default_factory=dict)
    free: dict[str, Any] = Field(default_factory=dict)
    even: int = 0

    @field_validator("even")
    @classmethod
    def _is_even(cls, even: int) -> int:
        if even % 2:
            raise ValueError(f"must be even, got {even}")
        return even


def sentence(**content: object) -> str:
    with pytest.raises(ConfigurationError) as refusal:
        parse(Whole, {"name": "x", **content}, "my.yaml")
    return str(refusal.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"cuont": 1}, "unknown key 'cuont'; did you mean 'count'."),
        ({"part": {"sise": 1}}, "unknown key 'part.sise'; did you mean 'size'."),
        (
            {"parts": [{}, {"sise": 1}]},
            "unknown key 'sise' in entry 2 of key 'parts'; did you mean 'size'.",
        ),
        ({"part": {"colour": 1}}, "unknown key 'part.colour'; known keys are side, size."),
        ({"name": 5}, "key 'name': must be text, got 5."),
        ({"name": None}, "key 'name': must be text, got null."),
        ({"count": "many"}, "key 'count': must be a whole number, got 'many'."),
        ({"count": 2.5}, "key 'count': must be a whole number, got 2.5."),
        ({"switch": "perhaps"}, "key 'switch': must be true or false, got 'perhaps'."),
        ({"height": "tall"}, "key 'height': must be a number, got 'tall'."),
        ({"height": float("nan")}, "key 'height': must be a finite number, got nan."),
        ({"part": 3}, "key 'part': must be a group of keys and values, got 3."),
        ({"part": {"side": "up"}}, "key 'part.side': must be 'left' or 'right', got 'up'."),
        ({"part": {"size": 0}}, "key 'part.size': must be greater than 0, got 0."),
        ({"parts": {"side": "left"}}, "key 'parts': must be a list, got {'side': 'left'}."),
        ({"parts": [3]}, "entry 1 of key 'parts': must be a group of keys and values, got 3."),
        ({"vector": 9.81}, "key 'vector': must be a list, got 9.81."),
        ({"vector": [1, 2]}, "key 'vector': must have 3 values, got [1, 2]."),
        ({"vector": []}, "key 'vector': must have 3 values, got []."),
        ({"vector": [1, 2, 3, 4]}, "key 'vector': must have at most 3 values, got [1, 2, 3, 4]."),
        ({"vector": [0, 0, "down"]}, "entry 3 of key 'vector': must be a number, got 'down'."),
        ({"some": [1]}, "key 'some': must have at least 2 values, got [1]."),
        ({"rows": [[1, 2], [3]]}, "entry 2 of key 'rows': must have 2 values, got [3]."),
        (
            {"rows": [[1, "b"]]},
            "entry 2 of entry 1 of key 'rows': must be a number, got 'b'.",
        ),
        ({"named": {"a": "b"}}, "key 'named.a': must be a number, got 'b'."),
        ({"even": 3}, "key 'even': must be even, got 3."),
        # of several types, the error is of the closest one
        ({"level": "high"}, "key 'level': must be a number, or a list, got 'high'."),
        ({"level": -1}, "key 'level': must be greater than 0, got -1."),
        ({"level": [1, -2]}, "entry 2 of key 'level': must be greater than 0, got -2."),
        ({"level": [1, "b"]}, "entry 2 of key 'level': must be a number, got 'b'."),
        ({"which": "none"}, "key 'which': must be a list, or 'all', got 'none'."),
        ({"which": ["a", 1]}, "entry 2 of key 'which': must be text, got 1."),
    ],
)
def test_mistake_becomes_one_sentence(content: dict[str, object], expected: str) -> None:
    assert sentence(**content) == f"my.yaml: {expected}"


def test_missing_key_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"^my.yaml: key 'name' is missing\.$"):
        parse(Whole, {}, "my.yaml")


def test_a_misspelled_key_is_reported_before_the_missing_one() -> None:
    with pytest.raises(ConfigurationError, match="unknown key 'nmae'; did you mean 'name'"):
        parse(Whole, {"nmae": "x"}, "my.yaml")


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ({"height": True}, "key 'height'"),
        ({"count": False}, "key 'count'"),
        ({"vector": [0, 0, True]}, "key 'vector'"),
        ({"part": {"size": True}}, "key 'part.size'"),
        ({"parts": [{"size": True}]}, "key 'size' in entry 1 of key 'parts'"),
    ],
)
def test_true_is_no_number(content: dict[str, object], key: str) -> None:
    assert sentence(**content).startswith(f"my.yaml: {key}: must be a number, not true or false")


def test_true_is_accepted_as_a_bool() -> None:
    whole = parse(Whole, {"name": "x", "switch": True, "free": {"a": True}}, "my.yaml")
    assert whole.switch is True
    assert whole.free == {"a": True}


def test_long_values_are_shortened() -> None:
    text = sentence(vector="9" * 500)
    assert len(text) < 150
    assert text.endswith("....")


@pytest.mark.parametrize("name", sorted(set(Whole.model_fields) - {"free", "switch"}))
@pytest.mark.parametrize("value", [object, [object], {"a": object}, [[object]], [{"a": object}]])
def test_no_sentence_contains_terms_of_pydantic(name: str, value: object) -> None:
    # no key takes a class
    text = sentence(**{name: value})
    assert text.startswith("my.yaml: ")
    assert text.endswith(".")
    for word in ("nput should", "constrained", "tuple", "dict", "instance", "literal"):
        assert word not in text


@pytest.mark.parametrize("name", ["name", "nonsense"])
def test_settings_do_not_change(name: str) -> None:
    settings = parse(Whole, {"name": "x"}, "my.yaml")
    with pytest.raises(ConfigurationError, match=f"^'{name}' of Whole cannot be changed: "):
        setattr(settings, name, "y")
    assert settings.name == "x"


def test_completion_has_no_names_of_pydantic() -> None:
    for shown, own in ((parse(Whole, {"name": "x"}, "my.yaml"), "name"), (Robot, "find")):
        assert own in dir(shown)
        assert not {"parse_obj", "model_dump", "copy"} & set(dir(shown))


# --- files ------------------------------------------------------------------------------------


def test_reads_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: {b: [1, 2.5]}\n")
    assert read_yaml(path) == {"a": {"b": [1, 2.5]}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: 1\nb: [1, 2\nc: 3\n", r"is not valid YAML at line [34]\."),
        (b"- 1\n- 2\n", "must be a mapping"),
        (b"", "must be a mapping"),
    ],
)
def test_refuses_text_that_is_not_a_yaml_mapping(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=expected) as refusal:
        read_yaml(path)
    assert "bad.yaml" in str(refusal.value)
