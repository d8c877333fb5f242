"""YAML texts that PyYAML alone would answer with a traceback, minutes or gigabytes."""

from __future__ import annotations

import math
from datetime import date

import pytest
import yaml

from dynid.errors import ConfigurationError
from dynid.yaml_text import load_yaml

ALIAS_BOMB = "a0: &a0 [x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)
MERGE_BOMB = "a0: &a0 {k: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 40)
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ALIAS_BOMB, r"repeat too many values.*DYNID_MAX_YAML_REPEATED"),
        (MERGE_BOMB, r"repeat too many values.*DYNID_MAX_YAML_REPEATED"),
        ("[" * 2000, r"too many nested lists and groups.*DYNID_MAX_YAML_DEPTH"),
        ("a: " + "{b: " * 100, "too many nested lists and groups"),
        ("- " * 3000, "too many nested lists and groups"),
        ("a: 2026-99-99", r"not valid YAML at line 1: '2026-99-99' .* date or time"),
        ("a: &a [*a]", r"alias '\*a' is within what it repeats"),
        ("a: " + "9" * 5000, "the whole number at line 1 has 5000 characters"),
        ("a: 1" + ":0" * 5000, "the whole number at line 1 has 10001 characters"),
        ("a: 1." + "0" * 5000, "the number at line 1 has 5002 characters"),
        ("a: !!int x", "'x' is written as a whole number, but is none"),
        ("a: !!float x", "'x' is written as a number, but is none"),
        ("a: !!timestamp x", "'x' is written as a date or time, but is none"),
        ("a: !!bool x", "'x' is written as a value, but is none"),
        ("a: !!python/object/apply:os.system [ls]", "not valid YAML at line 1"),
        ("a: \x00", "not valid YAML"),
        ("a: \ud800", "it is not text"),
        ("a: *b", "not valid YAML at line 1"),
        ("? [a]\n: 1", "not valid YAML at line 1"),
        ("k" * 500 + ": 1\n" + "k" * 500 + ": 1", r"key 'k{57}\.\.\.' is given twice"),
        ("a: 1\n---\nb: 1", "not valid YAML at line 2"),
    ],
    ids=range(21),
)
def test_refuses_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^f.yaml: .*{sentence}") as refused:
        load_yaml(text, "f.yaml")
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: [1.5, -2e3, .nan, true, null, text, '1']\nc: {d: 2026-01-31}",
        "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]",
        "x: {y: &a {<<: {k: 1}, k: 2}}\nb: {<<: *a}",
        "- |\n  lines\n  of text\n- >\n  one\n  line\n- !!set {a, b}\n- 0x1F\n- 1:30",
        "",
    ],
)
def test_reads_what_the_safe_loader_reads(text: str) -> None:
    assert repr(load_yaml(text, "f.yaml")) == repr(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *[(word, True) for word in ("yes", "Yes", "on", "ON", "true", "True")],
        *[(word, False) for word in ("no", "NO", "off", "Off", "false")],
        *[(word, word) for word in ("y", "n", "1e3", "1e-3", "1.0e3", "0o17", "08", "t", "_1")],
        *[("017", 15), ("0x1F", 31), ("0b101", 5), ("1_000", 1000), ("+5", 5), ("-0", 0)],
        *[("1:30", 90), ("1:30:00", 5400), ("1:30.5", 90.5), ("190:20:30", 685230)],
        *[
            ("1.0e+3", 1000.0),
            ("1.e-3", 1e-3),
            (".5", 0.5),
            ("1.", 1.0),
            ("6.8523015e+5", 685230.15),
        ],
        *[(".inf", math.inf), ("-.INF", -math.inf), ("~", None), ("null", None), ("", None)],
        *[("2026-01-31", date(2026, 1, 31)), ("0.1.2", "0.1.2")],
    ],
)
def test_words_mean_what_yaml_1_1_has_them_mean(word: str, meant: object) -> None:
    # YAML 1.2 reads many of them otherwise, and profiles that exist must not change
    read = load_yaml(f"a: {word}\n", "f.yaml")["a"]
    assert read == meant
    assert type(read) is type(meant)


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("DYNID_MAX_YAML_DEPTH", "a: " + "[" * 60 + "]" * 60),
        ("DYNID_MAX_YAML_REPEATED", ALIAS_BOMB.partition("a5:")[0]),
    ],
)
def test_a_setting_raises_the_limit(
    setting: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match=setting):
        load_yaml(text, "f.yaml")
    monkeypatch.setenv(setting, "100000")
    load_yaml(text, "f.yaml")


def test_a_depth_beyond_pythons_own_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_YAML_DEPTH", "100000")
    with pytest.raises(ConfigurationError, match="than Python can process"):
        load_yaml("[" * 5000, "f.yaml")


def test_counts_keys_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_YAML_NODES", "5")
    assert load_yaml("{a: 1, b: 2}", "f.yaml") == {"a": 1, "b": 2}
    with pytest.raises(
        ConfigurationError, match=r"too many keys and values.*at most 5 are allowed"
    ):
        load_yaml("{a: 1, b: [2]}", "f.yaml")
