"""Sentences that quote files."""

from __future__ import annotations

import pickle

from dynid.errors import ConfigurationError, DynidError


def test_control_characters_of_a_file_do_not_reach_the_terminal() -> None:
    error = ConfigurationError("f.yaml: key '\x1b[2J\x07\udcff' is é\u202e.\nSo.")
    assert str(error) == "f.yaml: key '\\x1b[2J\\x07\\xff' is é\\u202e.\nSo."


def test_a_long_sentence_loses_its_middle() -> None:
    text = str(DynidError("f: '" + "x" * 10**6 + "' is too long; shorten it."))
    assert len(text) < 2100
    assert text.startswith("f: 'xx")
    assert text.endswith("is too long; shorten it.")


def test_an_error_can_be_sent_to_a_process() -> None:
    assert str(pickle.loads(pickle.dumps(DynidError("a\x00b.")))) == "a\\x00b."  # noqa: S301
