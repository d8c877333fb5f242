"""YAML texts with other content: comments and spelling that stay, and what cannot be rewritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dynid.profile import load_robot, profile_text, write_profile
from dynid.yaml_text import load_yaml, rewritten

TEXT = """\
# My arm
robot: "arm"  # its name
joints: [a, b]

# from the data sheet
limits:
  position: [[-3, 3], [-1.0e-3, 0x10]]   # rad
  # nobody knows
  velocity: 4.0

# as of May
terms:
  - {kind: viscous}
  # dry
  - kind: coulomb  # of both

# the simulated robot
simulation:
  home: [0.1, 1_000.5]
  # counted
  seeds:
    - 1
    - 2
  # below the seeds
# the end
"""


def content() -> dict[str, Any]:
    found: dict[str, Any] = load_yaml(TEXT, "TEXT")
    return found


def comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("#")]


def test_a_text_whose_content_stays_is_the_same_text() -> None:
    assert rewritten(TEXT, content()) == TEXT


def test_a_list_that_changes_keeps_the_comments_around_it() -> None:
    new = content() | {"terms": [{"kind": "offset", "joints": ["a"]}]}
    expected = TEXT.replace("  - {kind: viscous}\n  # dry\n  - kind: coulomb  # of both\n", "")
    expected = expected.replace("terms:\n", "terms:\n- kind: offset\n  joints: [a]\n")
    assert rewritten(TEXT, new) == expected


def test_a_value_that_changes_keeps_the_comment_beside_it() -> None:
    new = content()
    new["robot"] = "wrist"
    new["limits"]["position"] = [[-1.0, 1.0], [-2.0, 2.0]]
    new["limits"]["velocity"] = [5.0, 6.0]
    found = rewritten(TEXT, new)
    assert found is not None
    assert "robot: wrist  # its name" in found
    assert "position: [[-1.0, 1.0], [-2.0, 2.0]]   # rad\n" in found
    assert "  velocity: [5.0, 6.0]\n\n# as of May\n" in found
    assert comments(found) == comments(TEXT)


def test_the_last_list_keeps_what_is_below_it() -> None:
    new = content()
    new["simulation"]["seeds"] = [3]
    found = rewritten(TEXT, new)
    assert found == TEXT.replace("seeds:\n    - 1\n    - 2\n", "seeds: [3]\n")


def test_keys_come_and_go() -> None:
    new = content() | {"gravity": [0.0, 0.0, -9.81]}
    del new["simulation"]
    found = rewritten(TEXT, new)
    assert found is not None
    assert load_yaml(found, "found") == new
    assert "# from the data sheet\nlimits:" in found


def test_a_number_stands_for_a_list_of_one_and_null_for_nothing() -> None:
    text = "cutoff_hz: 4  # of all\nworkspace: null\n"
    assert rewritten(text, {"cutoff_hz": [4.0]}) == text


@pytest.mark.parametrize("word", ["yes", "off", "1e3", "0o17", "017", "1:30", "1_0", "null", "~"])
def test_words_that_yaml_1_1_reads_otherwise_stay_words(word: str) -> None:
    found = rewritten("joints: [a]  # named\n", {"joints": [word], "robot": word})
    assert found is not None
    assert load_yaml(found, "found") == {"joints": [word], "robot": word}
    assert "# named" in found


@pytest.mark.parametrize("word", ["yes", "off", "1e3", "0o17", "017", "1:30", "+1_0", ".5", "0b1"])
def test_what_stays_means_the_same_as_before(word: str) -> None:
    text = f"a: {word}\nb: [{word}]\nc: 1\n"
    before = load_yaml(text, "text")
    found = rewritten(text, before | {"c": 2})
    assert found is not None
    assert repr(load_yaml(found, "found")) == repr(before | {"c": 2})


def test_an_alias_of_what_changes_is_not_rewritten() -> None:
    text = "a: &one {x: 1}\nb: *one\n"
    assert rewritten(text, {"a": {"x": 2}, "b": {"x": 1}}) is None
    found = rewritten(text, {"a": {"x": 1}, "b": {"x": 1}, "c": 3})
    assert found is not None
    assert found.replace("c: 3\n", "") == text


@pytest.mark.parametrize("name", ["puma560", "scara", "yumi", "delta_3", "palletiser", "tx40"])
def test_a_shipped_profile_keeps_all_its_comments_and_loads_as_changed(
    name: str, tmp_path: Path
) -> None:
    given = profile_text(name)
    assert given is not None
    robot = load_robot(name)
    changed = robot.model_copy(update={"terms": robot.terms[:1]})
    path = tmp_path / "changed.yaml"
    write_profile(changed, path, given=given, note="Of a test.")
    written = path.read_text("utf-8")
    assert written.startswith("# Of a test.\n")
    # those within the list that is replaced are about its old entries
    within = yaml.compose(given, yaml.SafeLoader)
    terms = next(value for key, value in within.value if key.value == "terms")
    block = given.splitlines()[terms.start_mark.line : terms.end_mark.line]
    lost = len(comments("\n".join(block)))
    assert len(comments(written)) >= 1 + len(comments(given)) - lost
    assert load_robot(path) == changed


def test_comments_that_cannot_be_kept_are_reported(tmp_path: Path) -> None:
    robot = load_robot("scara")
    path = tmp_path / "scara.yaml"
    write_profile(robot, path, given="- no mapping", note="Of a test.")
    first = path.read_text("utf-8").splitlines()[0]
    assert first == "# Of a test. The comments of the original profile are lost."
    assert load_robot(path) == robot


NAMES = st.text("abcxyz_ é#-:'\"{[", min_size=1, max_size=5)
WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_whatever_is_in_block_style_can_be_rewritten(data: st.DataObject) -> None:
    old = data.draw(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4))
    kept = data.draw(st.sets(st.sampled_from(sorted(old)), min_size=1))
    new = {key: old[key] for key in kept} | data.draw(st.dictionaries(NAMES, VALUES, max_size=3))
    text = yaml.safe_dump(old, default_flow_style=data.draw(st.sampled_from([None, False])))
    if text.startswith("{"):  # one line, which is written anew
        assert rewritten(text, new) is None
        return
    found = rewritten(f"# above\n{text}# below\n", new)
    assert found is not None
    assert found.startswith("# above\n")
    assert found.endswith("# below\n")
    read = load_yaml(found, "found") or {}
    for key, value in new.items():
        if type(value) in {int, str, bool}:
            assert read[key] == value
    assert all(value is None for key, value in read.items() if key not in new)


def test_a_null_that_the_text_lacks_is_written() -> None:
    text = "limits:\n  velocity: 1   # [rad/s]\n  # torque_max: 30\n"
    new = rewritten(text, {"limits": {"velocity": 1, "torque_max": None}})
    assert new == text.replace("  # torque", "  torque_max: null\n  # torque")


def test_a_null_of_the_text_may_be_left_out() -> None:
    text = "limits:\n  velocity: null\nrobot: arm\n"
    assert rewritten(text, {"limits": {}, "robot": "arm"}) == text
