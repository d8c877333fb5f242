from __future__ import annotations

import hashlib
import math
import os
import struct
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dynid.errors import DynidError, ModelFileError
from dynid.robot.model_file import model_text, write_model
from dynid.robot.model_reader import read_model
from dynid.robot.parameter_file import Block, Listed, number, parameter_file, quoted


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def assert_ros_parameters(value: object, where: str = "") -> None:
    """ROS 2's parameter types: bool, int, double, string, and lists of one of them, not empty."""
    if isinstance(value, dict):
        assert value, where
        for key, inner in value.items():
            assert isinstance(key, str), where
            assert_ros_parameters(inner, f"{where}.{key}")
    elif isinstance(value, list):
        assert value, where
        assert len({type(item) for item in value}) == 1, where
        assert isinstance(value[0], (bool, int, float, str)), where
    else:
        assert isinstance(value, (bool, int, float, str)), where


def altered(identification, tmp_path: Path, change) -> Path:
    content = yaml.safe_load(model_text(identification))
    change(content["/**"]["ros__parameters"]["model"])
    path = tmp_path / "model.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


@given(st.floats(allow_subnormal=False))
def test_a_double_is_read_back_as_the_same_double(value):
    read = yaml.safe_load(number(value))
    assert isinstance(read, float)
    assert math.isnan(read) if math.isnan(value) else bits(read) == bits(value)


@given(st.floats(allow_subnormal=False, allow_nan=False, allow_infinity=False))
def test_a_double_has_the_point_that_makes_ros_read_a_double(value):
    # rcl's parser tries integers first; strtod must then use up every character
    text = number(value)
    assert "." in text
    assert bits(float(text)) == bits(value)


@pytest.mark.parametrize("value", [5e-324, -1e-310])
def test_subnormal_numbers_which_ros_reads_as_text_become_zero(value):
    assert yaml.safe_load(number(value)) == 0.0


@given(st.text())
def test_a_string_is_read_back_as_the_same_string(text):
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert yaml.safe_load(quoted(text)) == expected


text_in_utf_8 = st.text(st.characters(exclude_categories=["Cs"]))
# YAML allows keys of up to 1024 characters, escapes included
key = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=90)


@given(st.dictionaries(key, text_in_utf_8 | st.lists(text_in_utf_8, min_size=1), min_size=1))
def test_any_names_and_texts_survive_the_file(content):
    read = yaml.safe_load(parameter_file(content, ["x\ny", *content]))
    assert read == {"/**": {"ros__parameters": content}}


def test_refuses_a_list_of_mixed_types():
    with pytest.raises(ValueError, match="one type"):
        parameter_file({"a": [1, 2.0]}, [])


def test_what_is_empty_is_left_out():
    text = parameter_file({"a": [], "b": None, "c": {}, "d": Listed([], []), "e": 1}, [])
    assert yaml.safe_load(text) == {"/**": {"ros__parameters": {"e": 1}}}


def test_a_block_keeps_its_lines():
    text = "<a>\n\n  <b/>\n</a>\n"
    read = yaml.safe_load(parameter_file({"a": Block(text)}, []))
    assert read["/**"]["ros__parameters"]["a"] == text


def test_the_file_holds_nothing_that_ros_has_no_type_for(identification, failed):
    for case in (identification, failed):
        assert_ros_parameters(yaml.safe_load(model_text(case))["/**"]["ros__parameters"])


def test_parameters_come_back_bit_for_bit(identification, tmp_path):
    rng = np.random.default_rng(1)
    # numbers of every magnitude, none of which is short in decimal
    values = rng.normal(size=len(identification.mechanism.parameters))
    values *= 10.0 ** rng.integers(-30, 30, len(values))
    mechanism = identification.mechanism.with_parameters(values)
    write_model(replace(identification, mechanism=mechanism), tmp_path / "model.yaml")
    model = read_model(tmp_path / "model.yaml")
    assert model.parameters.tobytes() == values.tobytes()
    assert model.mechanism().parameters.tobytes() == values.tobytes()


def test_the_model_read_back_computes_the_very_same_torque(identification, tmp_path):
    write_model(identification, tmp_path / "model.yaml")
    model = read_model(tmp_path / "model.yaml")
    motion = np.random.default_rng(0).uniform(-1, 1, (3, 20, 3))
    np.testing.assert_array_equal(
        model.mechanism().inverse_dynamics(*motion),
        identification.mechanism.inverse_dynamics(*motion),
    )


def test_everything_else_comes_back_too(identification, tmp_path):
    write_model(identification, tmp_path / "model.yaml")
    model = read_model(tmp_path / "model.yaml")
    assert model.profile == identification.profile
    assert model.status == "success"
    assert model.created == datetime(2026, 1, 31, 12, 0, 5, tzinfo=timezone.utc)
    assert model.parameter_names == identification.mechanism.parameter_names
    entries = model.entries
    assert entries.recordings == ("first.mcap", 'se"cond <b>.csv')
    assert entries.recordings_sha256 == ("ab" * 32, "0" * 64)
    assert entries.warnings == identification.judgement.warnings
    assert entries.errors.max_relative_torque_error == (0.1386,) * 3
    assert entries.errors.unit == ("A", "A", "A")
    assert math.isnan(entries.errors.r_squared[0])
    assert entries.base_parameters.names == ("ZZ1R", "MX2R")
    assert model.base_parameter_count == 3
    assert model.condition_number == 42.5
    assert entries.coupling == (1, 0, 0, 0.25, 1, 0, 0, 0, 1)
    assert entries.terms.joints[-1] == "shoulder"
    assert not model.parameters.flags.writeable


def test_a_mechanism_without_terms_and_locked_joints_comes_back(identification, tmp_path):
    profile = identification.profile.model_copy(update={"terms": (), "locked": {}})
    mechanism = profile.mechanism(identification.urdf_xml)
    path = tmp_path / "model.yaml"
    write_model(replace(identification, profile=profile, mechanism=mechanism), path)
    assert read_model(path).profile == profile


def test_the_header_tells_people_what_the_prg_file_told(failed):
    header = model_text(failed).split("\n/**")[0]
    assert all(line.startswith("#") for line in header.split("\n"))
    for text in (
        "FAILED",
        "because: joint 'lift': max relative torque error 61 %",
        "2026-01-31T12:00:05Z",
        f"first.mcap, SHA-256 {'ab' * 32}",
        "cut-off frequency: 10 Hz",
        "800 used of 807 recorded",
        "allowed: 50 %",
        "13.86 %",
        "700 (above 0.02 rad/s)",
        "702 (above 0.02 m/s)",
    ):
        assert text in header


def test_the_stripped_urdf_and_its_hash_are_in_the_file(identification):
    model = yaml.safe_load(model_text(identification))["/**"]["ros__parameters"]["model"]
    assert "visual" not in model["urdf"]
    assert hashlib.sha256(model["urdf"].encode()).hexdigest() == model["urdf_sha256"]


def test_an_interrupted_write_leaves_the_old_file(identification, tmp_path, monkeypatch):
    path = tmp_path / "model.yaml"
    path.write_text("old")

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_model(identification, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]


def test_a_full_disk_leaves_the_old_file_and_says_so(identification, tmp_path, monkeypatch):
    path = tmp_path / "model.yaml"
    path.write_text("old")

    def full(self, text, **_):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(DynidError, match=r"model\.yaml: cannot be written \(No space left"):
        write_model(identification, path)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]


def test_a_link_to_the_model_is_followed(identification, tmp_path):
    (tmp_path / "link.yaml").symlink_to(tmp_path / "model.yaml")
    write_model(identification, tmp_path / "link.yaml")
    assert (tmp_path / "link.yaml").is_symlink()
    assert read_model(tmp_path / "model.yaml").status == "success"


def test_refuses_to_write_where_there_is_no_folder(identification, tmp_path):
    with pytest.raises(DynidError, match=r"none/model\.yaml: cannot be written \(No such file"):
        write_model(identification, tmp_path / "none" / "model.yaml")
    with pytest.raises(DynidError, match="is a folder"):
        write_model(identification, tmp_path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "there is no such file"),
        ("", "mapping"),
        ("a: [", "is not valid YAML"),
        ("a: 2024-99-99", "is not valid YAML"),
        ("[" * 5000, "is not valid YAML"),
        ("a: 1", "is not a dynid model"),
        ("/**: {ros__parameters: {model: 3}}", "is not a dynid model"),
        ("/**: {ros__parameters: {model: {format: 2}}}", "has model.format 2, but .* reads 1"),
        ("/**: {ros__parameters: {model: {format: 1}}}", "key 'robot' is missing"),
    ],
)
def test_refuses_what_is_not_a_model(tmp_path, text, sentence):
    path = tmp_path / "model.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ModelFileError, match=sentence):
        read_model(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: m.update(parametres=[1.0]), "unknown key 'parametres'; did you mean"),
        (lambda m: m["parameters"].pop(), "model.parameters has .* values, expected"),
        (lambda m: m["parameters"].__setitem__(3, math.nan), "key 'parameters'.*finite number"),
        (lambda m: m["parameters"].__setitem__(3, math.inf), "key 'parameters'.*finite number"),
        (lambda m: m["parameters"].__setitem__(3, "x"), "key 'parameters'"),
        (lambda m: m["parameters"].__setitem__(3, True), "key 'parameters': must be a number"),
        (lambda m: m["errors"]["unit"].pop(), "model.unit has 2 values, expected 3 as in joints"),
        (lambda m: m["coupling"].pop(), "model.coupling has 8 values, expected 9"),
        (lambda m: m["gravity"].pop(), "model.gravity has 2 values, expected 3"),
        (lambda m: m["recordings_sha256"].pop(), "recordings_sha256 has 1 values, expected 2"),
        (lambda m: m["terms"]["sides"].pop(), "model.sides has"),
        (lambda m: m["base_parameters"]["values"].pop(), "model.values has 1 values, expected 2"),
        (lambda m: m.update(urdf=m["urdf"].replace("9", "8", 1)), "model.urdf was altered"),
        (lambda m: m["gravity"].__setitem__(2, 9.81), "model.gravity does not match"),
        (lambda m: m["coupling"].__setitem__(3, 0.5), "model.coupling does not match"),
        (lambda m: m["joints"].reverse(), "model.joints does not match"),
        (lambda m: m["terms"]["kinds"].reverse(), "model.terms.kinds does not match"),
        (lambda m: m["terms"]["smoothing"].reverse(), "model.terms.smoothing does not match"),
        (lambda m: m["locked_positions"].__setitem__(0, 0.1), "locked_positions does not match"),
        (lambda m: m["parameter_names"].reverse(), "model.parameter_names does not match"),
        (lambda m: m.pop("terms"), "model.terms.kinds does not match"),
        (lambda m: m.update(status="good"), "key 'status'.*'success' or 'failed'"),
        (lambda m: m.update(created="yesterday"), "model.created is 'yesterday'"),
        (lambda m: m.update(profile="robot: ["), "the profile in it is not a YAML mapping"),
        (lambda m: m.update(profile="robot: arm"), "key 'urdf' is missing"),
        (
            lambda m: m.update(profile=m["profile"].replace("shoulder", "shulder")),
            "no joint 'shulder'",
        ),
    ],
)
def test_refuses_an_altered_model_in_one_sentence(identification, tmp_path, change, sentence):
    path = altered(identification, tmp_path, change)
    with pytest.raises(ModelFileError, match=sentence) as refusal:
        read_model(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_reads_a_model_that_another_yaml_writer_rewrote(identification, tmp_path):
    path = altered(identification, tmp_path, lambda model: None)
    expected = identification.mechanism.parameters
    np.testing.assert_array_equal(read_model(path).parameters, expected)
