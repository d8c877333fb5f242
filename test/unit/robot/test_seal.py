"""The seal of a model.yaml: its canonical text, and the detection of changes."""

from __future__ import annotations

import hashlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.canonical_text import expected_seal, expected_text, nested
from support.stored_models import model_entries

from dynid import _core
from dynid.robot.model_entries import SEALED, canonical_text, seal
from dynid.robot.parameter_file import number


@pytest.fixture(scope="module")
def entries(identification) -> dict:
    return model_entries(identification.model.text())


def test_the_seal_is_the_sha_256_of_the_canonical_text(entries):
    assert seal(entries) == hashlib.sha256(canonical_text(entries).encode()).hexdigest()
    assert entries["sha256"] == seal(entries)


@given(st.binary(max_size=400), st.integers(0, 200))
def test_the_core_has_the_sha_256_of_the_library(data, repeated):
    message = data * repeated
    assert _core.sha256(message) == hashlib.sha256(message).hexdigest()


VALUES = st.one_of(
    st.booleans(),
    st.lists(st.booleans()),
    st.integers(-(2**63), 2**63 - 1),
    st.lists(st.floats()),
    st.lists(st.floats() | st.integers(-(2**63), 2**63 - 1)),
    st.text(st.characters()),
    st.lists(st.text(st.characters())),
    st.none(),
)


@given(st.dictionaries(st.sampled_from(SEALED), VALUES))
def test_the_core_and_python_seal_any_model_alike(flat):
    entries = nested(flat)
    assert canonical_text(entries).encode("utf-8", "surrogatepass") == expected_text(
        entries, SEALED
    )
    assert seal(entries) == expected_seal(entries, SEALED)


SPELLINGS = (
    number,
    lambda value: f"{value:.17e}",
    lambda value: f"{value:+.25e}",
    lambda value: f"{value:.400f}",
)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), min_size=1)
)
def test_the_way_numbers_are_printed_does_not_matter(values):
    texts = {
        canonical_text(yaml.safe_load(f"parameters: [{', '.join(map(spelled, values))}]"))
        for spelled in SPELLINGS
    }
    assert texts == {canonical_text({"parameters": values})}


def test_lists_and_tuples_and_what_is_absent_or_empty_are_the_same():
    assert canonical_text({"joints": ("a",)}) == canonical_text({"joints": ["a"]})
    assert canonical_text({"joints": [], "terms": {}, "payload_joint": None}) == canonical_text({})


def test_other_entries_do_not_change_the_seal(entries):
    others = set(entries) - {name.partition(".")[0] for name in SEALED}
    assert {"sha256", "created", "warnings", "errors", "base_parameters", "profile"} <= others
    assert seal({name: value for name, value in entries.items() if name not in others}) == seal(
        entries
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"joints": ["a", "b"]}, {"joints": ["a\n1:b"]}),
        ({"joints": ["a\nb"]}, {"joints": ["a", "b"]}),
        ({"joints": ["ab", "c"]}, {"joints": ["a", "bc"]}),
        ({"joints": ["a"]}, {"locked_joints": ["a"]}),
        ({"passive_joints": ["a"], "closure_kinds": []}, {"closure_kinds": ["a"]}),
        ({"semi_static": True}, {"semi_static": "true"}),
        ({"gravity": [1.0]}, {"gravity": ["3ff0000000000000"]}),
        ({"payload_joint": ""}, {}),
    ],
)
def test_different_entries_have_different_texts(one, other):
    assert canonical_text(one) != canonical_text(other)


@pytest.mark.parametrize("value", [[[1.0]], [None], [{"a": 1}], [b"x"]])
def test_types_that_a_model_does_not_have_are_refused(value):
    with pytest.raises(TypeError):
        seal({"parameters": value})
