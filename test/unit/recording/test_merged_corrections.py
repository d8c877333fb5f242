"""Corrections of corrected data, as one list: the same recording as one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynid.errors import ConfigurationError
from dynid.evaluation.diagnosis.repair import merged_corrections
from dynid.recording.corrections import Correction, corrected
from dynid.recording.model import Recording

JOINTS = ("a", "b", "c")
RATE = 100.0


def recording() -> Recording:
    time = np.arange(400) / RATE
    phase = np.outer(time, [1.0, 1.3, 1.7]) + np.arange(3)
    return Recording(
        time=time,
        position=np.sin(phase),
        velocity=np.cos(phase) * [1.0, 1.3, 1.7],
        effort=np.cos(2 * phase) * [3.0, 5.0, 7.0],
        joint_names=JOINTS,
        sampling_rate=RATE,
    )


def one(signal: str, joint: str | None = None, **keys: object) -> Correction:
    return Correction.model_validate({"signal": signal, "joint": joint, **keys})


def exchanged(signal: str, first: str, other: str) -> list[Correction]:
    return [one(signal, first, source=other), one(signal, other, source=first)]


def assert_same(groups: Sequence[Sequence[Correction]]) -> tuple[Correction, ...]:
    after = recording()
    for group in groups:
        after = corrected(after, group)
    merged = merged_corrections(groups[0], groups[1:], JOINTS)
    at_once = corrected(recording(), merged)
    for signal in ("time", "position", "velocity", "effort"):
        np.testing.assert_allclose(getattr(at_once, signal), getattr(after, signal), atol=1e-9)
    return merged


def test_nothing_found_keeps_what_is_given() -> None:
    kept = (one("effort", "a", factor=2.0), one("time", factor=0.5))
    assert merged_corrections(kept, [], JOINTS) == kept


def test_found_corrections_follow_the_given_ones() -> None:
    kept, found = [one("position", "a", factor=-1.0)], [one("position", "a", offset=0.3)]
    assert assert_same([kept, found]) == (*kept, *found)


def test_channels_that_are_exchanged_later_take_their_corrections_along() -> None:
    kept = [one("effort", "a", factor=2.0, delay=0.02), one("effort", factor=0.5)]
    merged = assert_same([kept, exchanged("effort", "a", "b")])
    assert one("effort", "b", factor=2.0, delay=0.02) in merged
    assert one("effort", factor=0.5) in merged


def test_exchanges_of_three_channels_become_one() -> None:
    merged = assert_same([exchanged("effort", "a", "b"), exchanged("effort", "b", "c")])
    assert {(c.joint, c.source) for c in merged} == {("a", "b"), ("b", "c"), ("c", "a")}


def test_an_exchange_that_is_taken_back_leaves_nothing() -> None:
    assert assert_same([exchanged("position", "a", "b"), exchanged("position", "a", "b")]) == ()


def test_a_delay_found_in_scaled_times_is_one_of_recorded_times() -> None:
    merged = assert_same([[one("time", factor=2.0)], [one("effort", delay=0.04)]])
    assert merged[-1] == one("effort", delay=0.02)


def test_a_joint_that_is_unknown_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'elbow' of effort is not a joint"):
        merged_corrections([], [[one("effort", "elbow", factor=2.0)]], JOINTS)


SIGNALS = st.sampled_from(["position", "velocity", "effort"])
NAMES = st.sampled_from([None, *JOINTS])
# of whole samples, which are not interpolated; late, so that nothing is cut off at the start
DELAYS = st.integers(0, 3).map(lambda ticks: ticks / RATE)
PLAIN = st.builds(
    lambda signal, joint, factor, delay: [one(signal, joint, factor=factor, delay=delay)],
    SIGNALS,
    NAMES,
    st.sampled_from([-1.0, 0.5, 2.0]),
    DELAYS,
)
OFFSETS = st.builds(
    lambda joint, offset: [one("position", joint, offset=offset)], NAMES, st.floats(-3.0, 3.0)
)
EXCHANGED = st.builds(
    lambda signal, order: exchanged(signal, *order[:2]), SIGNALS, st.permutations(JOINTS)
)


@settings(max_examples=30)
@given(st.lists(PLAIN | OFFSETS | EXCHANGED, min_size=1, max_size=5))
def test_one_list_acts_as_its_groups_one_after_the_other(groups: list[list[Correction]]) -> None:
    after = recording()
    for group in groups:
        after = corrected(after, group)
    at_once = corrected(recording(), merged_corrections(groups[0], groups[1:], JOINTS))
    # delays of several joints one after another may cut off more at the end
    count = len(after.time)
    for signal in ("position", "velocity", "effort"):
        np.testing.assert_allclose(
            getattr(at_once, signal)[:count], getattr(after, signal), atol=1e-9
        )
