from __future__ import annotations

import base64
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dynid.report.decimation import extremes, interval
from dynid.report.motion import EvaluatedMotion
from dynid.report.plots import packed, series_json

values = arrays(float, st.tuples(st.integers(1, 300), st.integers(1, 3)), elements=st.floats(-9, 9))


@given(values, st.integers(1, 50))
def test_each_interval_keeps_its_extremes_in_their_order(values, size):
    kept = extremes(values, size)
    if size <= 2:
        assert kept is values
        return
    assert len(kept) == 2 * -(-len(values) // size)
    for number in range(len(kept) // 2):
        part, pair = values[number * size : (number + 1) * size], kept[2 * number : 2 * number + 2]
        assert np.array_equal(pair.min(axis=0), part.min(axis=0))
        assert np.array_equal(pair.max(axis=0), part.max(axis=0))
        for joint in range(values.shape[1]):
            first, second = (np.flatnonzero(part[:, joint] == v) for v in pair[:, joint])
            assert first.min() <= second.max()


def test_a_gap_hides_no_extreme():
    values = np.array([1.0, np.nan, 5.0, -2.0, np.nan, np.nan])[:, np.newaxis]
    assert extremes(values, 3)[:, 0].tolist()[:2] == [1.0, 5.0]
    assert extremes(values, 3)[2, 0] == -2.0


@given(st.integers(1, 10**6), st.integers(2, 10**4))
def test_the_interval_keeps_at_most_the_wanted_number(samples, most):
    size = interval(samples, most)
    kept = samples if size <= 2 else 2 * -(-samples // size)
    assert kept <= most + 2 or size <= 2


def unpacked(curve: dict, recording: int) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(curve["values"][recording]), dtype="<u2")
    return np.where(numbers == 65535, np.nan, curve["low"] + numbers * curve["step"])


@given(arrays(float, st.integers(1, 50), elements=st.floats(-1e3, 1e3) | st.just(np.nan)))
def test_packed_values_are_right_to_a_65_thousandth_of_their_range(values):
    found = unpacked(packed([values, values[:1]]), 0)
    known = np.isfinite(values)
    assert np.array_equal(np.isfinite(found), known)
    if known.any():
        step = np.ptp(values[known]) / 65534
        assert np.all(np.abs(found[known] - values[known]) <= 0.51 * step + 1e-12)


@pytest.fixture(scope="module")
def long_motion() -> EvaluatedMotion:
    samples, joints = 1_000_000, 6
    torque = np.sin(np.arange(samples)[:, None] * 1e-4 * np.arange(1, joints + 1))
    noise = np.random.default_rng(0).normal(size=torque.shape)
    signals = SimpleNamespace(
        time=np.arange(samples) / 1e3,
        sampling_rate=1e3,
        joint_names=tuple(f"<j{number}>" for number in range(joints)),
        temperature=None,
    )
    return EvaluatedMotion((signals,), (torque + noise,), (torque,), (False,) * joints)  # type: ignore[arg-type]


def test_a_million_samples_of_six_joints_become_about_a_megabyte(long_motion):
    assert len(series_json(long_motion)) < 1.2e6


def test_no_peak_of_a_million_samples_is_lost(long_motion):
    content = json.loads(series_json(long_motion))
    measured = long_motion.measured_torque[0]
    for number, joint in enumerate(content["joints"]):
        found = unpacked(joint["measured"], 0)
        step = joint["measured"]["step"]
        assert abs(found.max() - measured[:, number].max()) < step
        assert abs(found.min() - measured[:, number].min()) < step
        assert len(found) * content["recordings"][0]["step"] == pytest.approx(1e3, rel=1e-2)


def test_a_name_cannot_end_the_element_that_holds_it(long_motion):
    text = series_json(long_motion)
    assert "<" not in text
    assert json.loads(text)["joints"][0]["name"] == "<j0>"
