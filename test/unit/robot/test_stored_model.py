"""Reading of a model.yaml in the controller by dynid._core.StoredModel."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.canonical_text import nested
from support.stored_models import model_entries, of_another_robot

from dynid import _core
from dynid.estimation.physical import pseudo_inertia, reference_parameters
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.robot.model_entries import SEALED, seal
from dynid.robot.parameter_file import ros_parameters

ROBOTS = ("puma560", "delta_3", "palletiser", "ur10e")


def stored(model: Model) -> dict:
    """A model.yaml's parameters below ``model``, as ROS 2 gives them to a controller."""
    found = ros_parameters(model.text(), "model.yaml")
    return {name.removeprefix("model."): value for name, value in found.items()}


def read(entries: dict, *, force: bool = False) -> _core.StoredModel:
    return _core.StoredModel(entries, entries["joints"], force)


def resealed(entries: dict) -> dict:
    return {**entries, "sha256": seal(nested(entries))}


@pytest.fixture(scope="module")
def models(identification) -> dict[str, dict]:
    """Stored models of several robots with physically consistent parameters."""
    found = {}
    for name in ROBOTS:
        robot = load_robot(name)
        mechanism = robot.mechanism()
        values = reference_parameters(mechanism)
        values[mechanism.first_term :] = np.linspace(0.1, 0.9, len(mechanism.terms))
        found[name] = stored(of_another_robot(identification.model, robot, values))
    return found


@pytest.fixture(params=ROBOTS)
def entries(request, models) -> dict:
    return models[request.param]


def test_a_model_reaches_the_controller_as_it_was_written(entries):
    found = read(entries)
    assert found.sealed
    assert found.parameters.tolist() == entries["parameters"]
    assert found.created == entries["created"]
    assert found.edited_at == ""


def other_values(value: object) -> list:
    """Values that a single entry, or one in a list, could become."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [value + "x", value[:-1], value.swapcase(), ""]
    if isinstance(value, int):
        return [value + 1, value - 1, -value]
    numbers = [math.nextafter(value, math.inf) if value else 2.3e-308, value + 1.0, -value]
    return [*numbers, 1e9, 1e308, math.nan, math.inf]


def mutations(value: object) -> list:
    """All that is done to one entry: each of its values changed, dropped, doubled, swapped."""
    if not isinstance(value, list):
        return other_values(value)
    changed = [
        [*value[:at], other, *value[at + 1 :]]
        for at, one in enumerate(value)
        for other in other_values(one)
    ]
    changed += [[*value[:at], *value[at + 1 :]] for at in range(len(value))]
    changed += [[*value[: at + 1], *value[at:]] for at in range(len(value))]
    return [*changed, value[::-1], [], value[:1] * len(value)]


def refusal_of(entries: dict, joints: list[str], *, force: bool) -> str:
    """Why the controller rejects a model; empty if it accepts it."""
    try:
        found = _core.StoredModel(entries, joints, force)
    except ValueError as refusal:
        return str(refusal)
    assert np.isfinite(found.parameters).all()
    return ""


def same(one: object, other: object) -> bool:
    return repr(one) == repr(other)  # also NaN, and -0.0 apart from 0.0


ADDED = {
    "gravity": [0.0, 0.0, -9.81],
    "locked_joints": ["some"],
    "locked_positions": [0.5],
    "passive_joints": ["some"],
    "passive_positions": [0.5],
    "assembled_at": [0.5],
    "closure_kinds": ["point"],
    "closure_links": ["a", "b"],
    "closure_points": [0.0] * 6,
    "closure_axes": [0.0] * 6,
    "closure_lengths": [0.5],
    "terms.static_ratio": [0.5],
    "terms.stribeck_velocity": [0.5],
}


def test_every_single_change_of_a_sealed_entry_is_refused(entries):
    accepted, tried = [], 0
    for name in (*SEALED, "sha256", "urdf"):
        there = name in entries
        changes = mutations(entries[name]) if there else [ADDED[name]]
        removed = [{key: value for key, value in entries.items() if key != name}] if there else []
        for other in (*({**entries, name: value} for value in changes), *removed):
            if same(other.get(name), entries.get(name)):
                continue
            if name == "joints" and not other.get(name):
                continue  # the controller has joints
            tried += 1
            sentence = refusal_of(other, entries["joints"], force=True)
            if not (sentence.endswith(".") and "\n" not in sentence):
                accepted.append((name, other.get(name), sentence))
    assert accepted == []
    assert tried > 500


ANYTHING = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.floats(), max_size=12),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=12),
    st.lists(st.text(max_size=9), max_size=6),
)
CHANGES = st.lists(st.tuples(st.integers(0, 999), ANYTHING), min_size=1, max_size=3)
"""Numbers of entries, counted round, with other values."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(robot=st.sampled_from(ROBOTS), changes=CHANGES, force=st.booleans())
def test_whatever_the_entries_are_the_answer_is_a_model_or_a_sentence(
    models, robot, changes, force
):
    entries = dict(models[robot])
    joints, names = entries["joints"], sorted(entries)
    for number, value in changes:
        entries[names[number % len(names)]] = value
    # with a valid seal
    text = {key: value for key, value in entries.items() if key != "sha256"}
    entries["sha256"] = seal(nested(text))
    sentence = refusal_of(entries, joints, force=force)
    assert sentence == "" or sentence.endswith(".")


@pytest.mark.parametrize("name", ["joints", "urdf", "status", "terms.kinds", "payload_joint"])
@pytest.mark.parametrize("letter", ["\0", "\x1b", "\x7f"])
def test_a_control_character_is_refused_and_not_quoted(entries, name, letter):
    value = entries.get(name, "")
    altered = [letter, *value[1:]] if isinstance(value, list) else value + letter
    sentence = refusal_of(resealed({**entries, name: altered}), entries["joints"], force=True)
    assert f"'model.{name}' contains a control character" in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("name", ["sha256", "urdf_sha256"])
@pytest.mark.parametrize("text", ["0123456789aé" + "ü" * 9, "𐀀" * 9, "é"])
def test_a_checksum_that_is_other_text_is_quoted_by_whole_characters(entries, name, text):
    altered = {**entries, name: text}
    altered = altered if name == "sha256" else resealed(altered)
    sentence = refusal_of(altered, entries["joints"], force=True)
    assert "altered" in sentence
    assert "…" in sentence


def impossible(entries: dict, name: str, value: float) -> dict:
    values = list(entries["parameters"])
    values[entries["parameter_names"].index(name)] = value
    return resealed({**entries, "parameters": values})


def test_friction_that_generates_energy_is_refused_despite_a_valid_seal(models):
    entries = models["puma560"]
    kinds = dict(zip(entries["parameter_names"][60:], entries["terms.kinds"], strict=True))
    refused = set()
    for name, kind in kinds.items():
        sentence = refusal_of(impossible(entries, name, -0.01), entries["joints"], force=False)
        if sentence:
            assert f"'{name}' ({kind}) is -0.01, but cannot be below 0" in sentence
            refused.add(kind)
    assert refused == {k for k in kinds.values() if _core.term_kind(k).never_negative}
    assert refused


@pytest.mark.parametrize("body", range(6))
def test_bodies_near_the_boundary_are_checked_by_it(models, body):
    """From a consistent body to a plate without thickness and beyond."""
    mechanism = load_robot("puma560").mechanism()
    parameters = np.array(models["puma560"]["parameters"])
    span = slice(10 * body, 10 * body + 10)
    values, vectors = np.linalg.eigh(pseudo_inertia(parameters[span]))
    for share, possible in ((1.0, True), (1e-6, True), (-1e-6, False), (-1.0, False)):
        matrix = (vectors * [share * values[0], *values[1:]]) @ vectors.T
        changed = parameters.copy()
        changed[span] = inertial(matrix)
        assert (mechanism.physical_problem(changed) == "") == possible


def inertial(matrix) -> list[float]:
    """The ten parameters of a pseudo-inertia matrix."""
    block = matrix[:3, :3]
    inertia = np.trace(block) * np.eye(3) - block
    upper = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return [matrix[3, 3], *matrix[:3, 3], *upper]


def test_an_edited_model_reports_the_edit(models):
    found = read({**models["puma560"], "edited_at": "2026-01-31T12:00:00Z"})
    assert found.edited_at == "2026-01-31T12:00:00Z"


def test_the_file_is_the_same_to_pyyaml_and_to_the_controller(identification):
    text = identification.model.text()
    content = model_entries(text)
    assert re.search(f'sha256: "{seal(content)}"', text)
    assert seal(nested(stored(identification.model))) == seal(content)
