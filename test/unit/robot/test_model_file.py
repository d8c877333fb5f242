from __future__ import annotations

import hashlib
import math
import re
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.stored_models import model_entries, of_another_robot

from dynid.errors import (
    ConfigurationError,
    DynidError,
    ModelFileError,
    ModelFileWarning,
    WriteError,
)
from dynid.profile import load_model, load_robot, make_robot
from dynid.recording.model import Source
from dynid.robot.model import Model, nominal_model
from dynid.robot.model_file import parse_model
from dynid.robot.model_text import covariance_factor
from dynid.robot.parameter_file import (
    Listed,
    LiteralBlock,
    number,
    parameter_file,
    quoted,
    ros_parameters,
)
from dynid.robot.provenance import BaseEstimate, StoredQuantities


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def altered(model: Model, tmp_path: Path, change) -> Path:
    content = yaml.safe_load(model.text())
    change(content["/**"]["ros__parameters"]["model"])
    path = tmp_path / "model.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


@given(st.floats(allow_subnormal=False))
def test_a_double_is_read_back_as_the_same_double_by_yaml_and_by_ros(value):
    text = number(value)
    read = yaml.safe_load(text)
    assert isinstance(read, float)
    assert math.isnan(read) if math.isnan(value) else bits(read) == bits(value)
    if math.isfinite(value):
        # rcl's parser tries integers first; strtod must then use up every character
        assert "." in text
        assert bits(float(text)) == bits(value)


@given(st.text())
def test_a_string_is_read_back_as_the_same_string(text):
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert yaml.safe_load(quoted(text)) == expected


text_in_utf_8 = st.text(st.characters(exclude_categories=["Cs"]))
# YAML allows keys of up to 1024 characters, escapes included
key = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=90)


@given(st.dictionaries(key, text_in_utf_8 | st.lists(text_in_utf_8, min_size=1), min_size=1))
def test_any_names_and_texts_are_read_back(content):
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
    read = yaml.safe_load(parameter_file({"a": LiteralBlock(text)}, []))
    assert read["/**"]["ros__parameters"]["a"] == text


def test_a_mechanism_without_terms_and_locked_joints_comes_back(identification, tmp_path):
    robot = identification.robot.model_copy(update={"terms": (), "locked": {}})
    model = replace(identification.model, robot=robot, mechanism=robot.mechanism(), determined=())
    path = tmp_path / "model.yaml"
    model.save(path)
    found = load_model(path).robot
    assert found.with_urdf(robot.urdf_xml) == robot


def test_the_header_has_the_contents_of_the_prg_file(failed):
    header = failed.model.text().split("\n/**")[0]
    assert all(line.startswith("#") for line in header.split("\n"))
    for text in (
        "FAILED",
        "because: joint 'lift': max relative torque error 61 %",
        "2026-01-31T12:00:05Z",
        f"first.mcap, SHA-256 {'ab' * 32}",
        "cut-off frequency: 10 Hz",
        "800 used of 807 recorded",
        "allowed: held out 50 %",
        "13.86 %",
        "700 (above 0.02 rad/s)",
        "702 (above 0.02 m/s)",
    ):
        assert text in header


def test_the_stripped_urdf_and_its_hash_are_in_the_file(identification):
    model = model_entries(identification.model.text())
    assert "visual" not in model["urdf"]
    assert hashlib.sha256(model["urdf"].encode()).hexdigest() == model["urdf_sha256"]


def test_a_full_disk_leaves_the_old_file_and_is_reported(identification, tmp_path, monkeypatch):
    path = tmp_path / "model.yaml"
    path.write_text("old")

    def full(self, text, **_):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(DynidError, match=r"model\.yaml: cannot be written \(No space left"):
        identification.model.save(path)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]


def test_a_failed_model_is_saved_only_by_force(identification, failed, tmp_path):
    good, other = tmp_path / "model.yaml", tmp_path / "model.failed.yaml"
    identification.model.save(good)
    before = good.read_bytes()
    reason = re.escape(failed.provenance.reasons[0].rstrip("."))
    for path in (good, other):
        with pytest.raises(WriteError, match=rf"not written, because .* failed \({reason}"):
            failed.model.save(path)
    assert good.read_bytes() == before
    assert not other.exists()
    failed.model.save(other, force=True)
    found = load_model(other)
    assert found.failed
    assert found.provenance.reasons == failed.verdict.reasons


def test_refuses_to_write_where_there_is_no_folder(identification, tmp_path):
    with pytest.raises(DynidError, match=r"none/model\.yaml: cannot be written \(No such file"):
        identification.model.save(tmp_path / "none" / "model.yaml")
    with pytest.raises(DynidError, match="is a folder"):
        identification.model.save(tmp_path)


@pytest.fixture(scope="module")
def rich(identification) -> Model:
    """A model of which no entry is empty, with correlated base parameters of very unlike sizes."""
    base = identification.model.base
    deviations = np.array([2e-5, 3.0])
    covariance = np.array([[1.0, -0.97], [-0.97, 1.0]]) * np.outer(deviations, deviations)
    return replace(
        identification.model,
        base=replace(base, standard_deviations=deviations, covariance=covariance),
        quantities=StoredQuantities(
            names=("weight", "lost"),
            values=(12.5, math.nan),
            standard_deviations=(0.25, math.nan),
            units=("N*m", ""),
            unknown=("", "M1 is not determined by these recordings"),
        ),
    )


def smoother(entries: dict) -> None:
    """Alter the terms, and the profile in the same way."""
    smoothing = entries["terms"]["smoothing"]
    entries["terms"]["smoothing"] = [2 * value for value in smoothing]
    profile = yaml.safe_load(entries["profile"])
    for term in profile["terms"]:
        term["smoothing"] *= 2
    entries["profile"] = yaml.safe_dump(profile)


def heavier(entries: dict) -> None:
    """Alter the URDF together with its SHA-256."""
    entries["urdf"] = entries["urdf"].replace('value="', 'value="1', 1)
    entries["urdf_sha256"] = hashlib.sha256(entries["urdf"].encode()).hexdigest()


ALTERED = (
    r"were altered after they were written .* model\.sha256 is \w+…\); identify again, "
    r"or confirm an intended edit with 'dynid model seal'\.$"
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "there is no such file"),
        ("", "mapping"),
        ("a: [", "is not valid YAML"),
        ("a: 2024-99-99", "is not valid YAML"),
        ("[" * 5000, "too many nested lists and groups"),
        ("a: 1", "is not a dynid model"),
        ("/**: {ros__parameters: {model: 3}}", "is not a dynid model"),
        *(
            (
                f"/**: {{ros__parameters: {{model: {{format: {other}}}}}}}",
                "has model.format .*, but this dynid reads 1 and 2; identify again",
            )
            for other in ("3", "0", "'2'", "null")
        ),
        ("/**: {ros__parameters: {model: {format: 2}}}", "key 'robot' is missing"),
        ("/**: {ros__parameters: {model: {format: 1}}}", "key 'robot' is missing"),
    ],
)
def test_refuses_what_is_not_a_model(tmp_path, text, sentence):
    path = tmp_path / "model.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ModelFileError, match=sentence):
        load_model(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: m.update(parametres=[1.0]), "unknown key 'parametres'; did you mean"),
        (
            lambda m: m["errors"].update(rsme=[1.0] * 3),
            "unknown key 'errors.rsme'; did you mean 'rmse'",
        ),
        (lambda m: m["errors"]["rmse"].__setitem__(0, "x"), "key 'errors.rmse': must be a number"),
        (lambda m: m["parameters"].pop(), "model.parameters has .* values, expected"),
        (lambda m: m["parameters"].__setitem__(3, math.nan), "key 'parameters'.*finite number"),
        (lambda m: m["parameters"].__setitem__(3, True), "key 'parameters': must be a number"),
        (lambda m: m["errors"]["unit"].pop(), "model.unit has 2 values, expected 3 as in joints"),
        (lambda m: m["recordings_sha256"].pop(), "recordings_sha256 has 1 values, expected 2"),
        (lambda m: m.update(recordings_start_time=[2**63, 1]), "key 'recordings_start_time'"),
        (lambda m: m.update(recordings_temperature=["20", "21"]), "'recordings_temperature'"),
        (lambda m: m.update(urdf=m["urdf"].replace("9", "8", 1)), "model.urdf was altered"),
        (lambda m: m["gravity"].__setitem__(2, 9.81), "model.gravity does not match"),
        (lambda m: m.update(robot="leg"), "model.robot does not match"),
        (lambda m: m["joints"].reverse(), "model.joints does not match"),
        (lambda m: m["terms"]["kinds"].reverse(), "model.terms.kinds does not match"),
        (lambda m: m["locked_positions"].__setitem__(0, 0.1), "locked_positions does not match"),
        (lambda m: m["parameter_names"].reverse(), "model.parameter_names does not match"),
        (lambda m: m.pop("terms"), "model.terms.kinds does not match"),
        (lambda m: m.update(status="good"), "key 'status'.*'success' or 'failed'"),
        (lambda m: m.update(created="yesterday"), "model.created is 'yesterday'"),
        (lambda m: m.update(profile="robot: ["), "its profile: is not valid YAML"),
        (lambda m: m.update(profile="just words"), "its profile: must be a mapping"),
        (lambda m: m.update(profile="robot: arm"), "key 'urdf' is missing"),
        (
            lambda m: m.update(profile=m["profile"].replace("shoulder", "shulder")),
            "no joint 'shulder'",
        ),
        (
            lambda m: m["base_parameters"]["covariance_factor"].pop(),
            "model.covariance_factor has 2 values, expected 3 as in the triangle of base_param",
        ),
        (
            lambda m: m["parameters_determined"].pop(),
            "model.parameters_determined has .* values, expected .* as in parameter_names",
        ),
        (lambda m: m["parameters_determined"].__setitem__(0, 1), "key 'parameters_determined'"),
        (
            lambda m: m["quantities"].pop("unknown"),
            "model.unknown has 0 values, expected 2 as in quantities.names",
        ),
        # sealed, because the controller uses them
        (lambda m: m["parameters"].__setitem__(0, m["parameters"][0] + 1e-12), ALTERED),
        (smoother, ALTERED),
        (lambda m: m.update(status="failed"), ALTERED),
        (heavier, ALTERED),
        (lambda m: m.update(sha256="0" * 64), "model.sha256 is 000000000000…"),
        (lambda m: m.pop("sha256"), r"has no seal \(model\.sha256\); identify again\.$"),
        (lambda m: m.update(format=1), ALTERED),
    ],
)
def test_refuses_an_altered_model_in_one_sentence(rich, tmp_path, change, sentence):
    path = altered(rich, tmp_path, change)
    with pytest.raises(ModelFileError, match=sentence) as refusal:
        load_model(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- format 2 -----------------------------------------------------------------------------------


def reread(model: Model) -> Model:
    return parse_model(model.text(), "model.yaml", make_robot)


def test_every_field_of_a_model_survives_its_text(rich):
    found = reread(rich)
    assert found.robot.with_urdf(rich.robot.urdf_xml) == rich.robot
    assert found.parameters.tobytes() == rich.parameters.tobytes()
    assert not found.parameters.flags.writeable
    assert found.parameter_names == rich.parameter_names
    np.testing.assert_array_equal(found.mechanism.coupling, rich.mechanism.coupling)
    assert found.mechanism.terms == rich.mechanism.terms
    assert found.base.names == rich.base.names
    assert found.base.regroupings == rich.base.regroupings
    for name in ("values", "consistent_values", "standard_deviations"):
        np.testing.assert_array_equal(getattr(found.base, name), getattr(rich.base, name))
    np.testing.assert_allclose(found.base.covariance, rich.base.covariance, rtol=1e-12)
    assert found.base.by_name == rich.base.by_name
    # of a recording's source the file keeps what does not depend on where it was read
    sources = tuple(replace(one, kind="", topic=None) for one in rich.provenance.sources)
    assert found.provenance == replace(rich.provenance, sources=sources)
    np.testing.assert_equal(vars(found.errors), vars(rich.errors))
    assert found.determined == rich.determined
    assert found.determined.count(False) == 1
    np.testing.assert_equal(vars(found.quantities), vars(rich.quantities))
    assert found.sealed


@pytest.mark.parametrize("name", ["delta_3", "palletiser", "tx40", "puma560_static", "yumi"])
def test_models_of_other_kinds_of_robots_survive_their_text(rich, name):
    robot = load_robot(name)
    mechanism = robot.mechanism()
    values = mechanism.parameters + np.linspace(0.1, 1.0, len(mechanism.parameters))
    model = of_another_robot(rich, robot, values)
    found = reread(model)
    assert found.parameters.tobytes() == values.tobytes()
    assert found.mechanism.chain == mechanism.chain
    assert found.robot.yaml_content(with_model_only=True) == robot.yaml_content(
        with_model_only=True
    )
    motion = np.zeros((3, len(robot.joints)))
    np.testing.assert_array_equal(
        found.mechanism.inverse_dynamics(*motion), model.mechanism.inverse_dynamics(*motion)
    )


def test_a_model_read_from_a_file_names_it_with_its_sha_256(rich, tmp_path):
    path = tmp_path / "model.yaml"
    rich.save(path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load_model(path).source == Source("model.yaml", sha256, kind="model")


@pytest.mark.parametrize("lost", [{"covariance": None}, vars(BaseEstimate.empty())])
def test_a_model_without_covariance_or_base_parameters_comes_back(rich, lost):
    base = replace(rich.base, **lost)
    found = reread(replace(rich, base=base)).base
    assert (found.covariance is None) == (base.covariance is None)
    assert found.names == base.names
    assert found.by_name == base.by_name


def test_a_model_that_was_not_identified_is_not_written(rich, tmp_path):
    model = nominal_model(rich.robot)
    with pytest.raises(ValueError, match="the model of arm was not identified"):
        model.save(tmp_path / "model.yaml")
    assert not list(tmp_path.iterdir())


def test_comments_are_not_sealed(rich, tmp_path):
    path = altered(rich, tmp_path, lambda m: m.update(warnings=["seen and accepted"]))
    assert load_model(path).provenance.warnings == ("seen and accepted",)


def test_a_subnormal_parameter_and_a_negative_zero_keep_the_seal_right(rich):
    values = rich.parameters.copy()
    values[:4] = 5e-324, -1e-310, -0.0, 2.5e-308
    found = reread(replace(rich, mechanism=rich.mechanism.with_parameters(values)))
    assert [value.hex() for value in found.parameters[:4].tolist()] == [
        value.hex() for value in (0.0, -0.0, -0.0, 2.5e-308)
    ]


def as_format_1(entries: dict) -> None:
    """Convert a model to the first format."""
    entries["format"] = 1
    for name in ("sha256", "parameters_determined", "quantities", "allowed_error"):
        del entries[name]
    del entries["base_parameters"]["covariance_factor"]


def test_the_first_format_is_read_with_a_warning(rich, tmp_path):
    path = altered(rich, tmp_path, as_format_1)
    with pytest.warns(ModelFileWarning, match=r"model\.yaml: has format 1 without a seal"):
        found = load_model(path)
    assert not found.sealed
    assert found.parameters.tobytes() == rich.parameters.tobytes()
    assert found.base.covariance is None
    assert found.base.by_name == rich.base.by_name
    assert found.determined == ()
    assert found.quantities == StoredQuantities()
    assert found.provenance.allowed_error is None
    assert found.provenance.created == rich.provenance.created
    np.testing.assert_equal(vars(found.errors), vars(rich.errors))


def test_the_first_format_is_written_anew_as_the_second(rich, tmp_path):
    path = altered(rich, tmp_path, as_format_1)
    with pytest.warns(ModelFileWarning):
        found = load_model(path)
    found.save(path)
    assert load_model(path).sealed
    assert model_entries(found.text())["format"] == 2


# --- covariance ---------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_the_factor_of_a_covariance_gives_it_back(parameters, measured, seed):
    # of fewer measurements than parameters the covariance is singular
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((parameters, measured))
    size = 10.0 ** rng.uniform(-6, 3, parameters)
    covariance = noise @ noise.T * np.outer(size, size)
    factor = covariance_factor(covariance)
    assert not np.triu(factor, 1).any()
    deviations = np.sqrt(np.diag(covariance))
    error = np.abs(factor @ factor.T - covariance) / np.outer(deviations, deviations)
    assert error.max() < 1e-12


def test_a_parameter_that_is_known_exactly_has_a_factor_too():
    covariance = np.array([[0.0, 0.0, 0.0], [0.0, 4.0, 2.0], [0.0, 2.0, 1.0]])
    expected = [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 0.0]]
    np.testing.assert_allclose(covariance_factor(covariance), expected, atol=1e-7)
    np.testing.assert_allclose(
        covariance_factor(covariance) @ covariance_factor(covariance).T, covariance, atol=1e-14
    )


# --- as parameters ------------------------------------------------------------------------------


def test_every_entry_of_a_model_is_a_parameter_of_its_full_name(identification):
    text = identification.model.text()
    found = ros_parameters(text, "model.yaml")
    model = parse_model(text, "model.yaml", make_robot)
    assert found["model.robot"] == model.robot.name
    assert found["model.parameters"] == model.parameters.tolist()
    assert found["model.terms.kinds"] == [term.kind for term in model.mechanism.terms]
    assert found["model.versions.dynid"] == model.provenance.versions["dynid"]
    assert found["model.urdf"] == model.robot.urdf_xml
    assert all(name.startswith("model.") for name in found)
    assert math.isnan(found["model.errors.r_squared"][0])
    lists = [value for value in found.values() if isinstance(value, list)]
    # ROS 2 has no empty lists, and lists of one type
    assert all(len({type(item) for item in values}) == 1 for values in lists)


def test_refuses_what_is_not_yaml():
    with pytest.raises(ConfigurationError, match=r"model\.yaml: is not valid YAML"):
        ros_parameters("a: [", "model.yaml")


@pytest.mark.parametrize("content", ["text", "[1, 2]", "3"])
def test_refuses_parameters_that_are_no_group(content):
    with pytest.raises(ConfigurationError, match=r"f\.yaml: 'ros__parameters' must be a group"):
        ros_parameters(f"/**: {{ros__parameters: {content}}}", "f.yaml")
