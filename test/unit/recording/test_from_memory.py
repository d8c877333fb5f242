"""Recordings made of arrays and tables, and saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynid.errors import ArgumentError, DynidError, WriteError
from dynid.recording.load import load_recording
from dynid.recording.model import Recording

RATE = 100.0


@pytest.fixture
def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    time = np.arange(300) / RATE
    position = np.column_stack([np.sin(3 * time), np.cos(2 * time)])
    return time, position, 5 * position


@pytest.fixture
def recording(arrays: tuple[np.ndarray, ...]) -> Recording:
    time, position, effort = arrays
    return Recording(time, position, effort, velocity=position / 2, joint_names=("A1", "panda_j2"))


def same(one: Recording, other: Recording) -> bool:
    names = ("time", "position", "velocity", "effort")
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return one.joints == other.joints and all(np.allclose(*pair, atol=1e-9) for pair in pairs)


def test_rate_and_names_of_arrays_follow_from_them(arrays: tuple[np.ndarray, ...]) -> None:
    time, position, effort = arrays
    recording = Recording(time + 7, position, effort)
    assert recording.sampling_rate == pytest.approx(RATE)
    assert recording.time[0] == 0
    assert recording.joints == ("joint_1", "joint_2")
    assert recording.velocity is None


def test_uneven_times_are_sampled_uniformly(arrays: tuple[np.ndarray, ...]) -> None:
    time, position, effort = arrays
    late = time + 0.002 * np.sin(np.arange(300))
    with pytest.raises(ArgumentError, match="equal steps"):
        Recording(late, position, effort)
    recording = Recording.from_arrays(late, np.interp(late, time, position[:, 0]), effort[:, 0])
    assert recording.position.shape[1] == 1
    inner = slice(5, 290)
    np.testing.assert_allclose(
        recording.position[inner, 0],
        np.interp(recording.time[inner] + late[0], time, position[:, 0]),
        atol=0.01,
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"time": "now"}, "time must be an array of numbers"),
        ({"time": [[0.0, 1.0]]}, r"time has shape \(1, 2\)"),
        ({"effort": np.zeros((300, 3))}, r"effort has shape \(300, 3\), expected \(300, 2\)"),
        ({"position": np.zeros((299, 2))}, r"position has shape \(299, 2\)"),
        ({"velocity": [["a"]]}, "velocity must be an array of numbers"),
        ({"joint_names": ("a",)}, r"expected \(300, 1\)"),
        ({"time": np.full(300, np.nan)}, "time of sample 1 is nan"),
        ({"time": np.zeros(300)}, "arrays"),
        ({"position": np.full((300, 2), np.nan)}, "arrays"),
        ({"position": np.zeros((300, 0))}, "position has shape"),
    ],
)
def test_unsuitable_arrays_are_refused_in_a_sentence(
    arrays: tuple[np.ndarray, ...], changes: dict[str, object], words: str
) -> None:
    given = dict(zip(("time", "position", "effort"), arrays, strict=True)) | changes
    with pytest.raises(DynidError, match=words):
        Recording.from_arrays(**given)  # type: ignore[arg-type]


def test_a_frame_is_read_back_with_the_names_of_its_joints(recording: Recording) -> None:
    pytest.importorskip("pandas", reason="pandas is optional")
    frame = recording.to_frame()
    assert same(Recording.from_frame(frame), recording)
    renamed = frame.set_axis(["t", "q1", "dq1", "tau1", "q2", "dq2", "tau2"], axis="columns")
    assert Recording.from_frame(renamed).joints == ("joint_1", "joint_2")
    for wrong in (frame.drop(columns="time"), frame[["time"]], {"time": [1]}):
        with pytest.raises(ArgumentError, match=r"from_frame\(\)"):
            Recording.from_frame(wrong)


@pytest.mark.parametrize("name", ["copy.npz", "copy.csv", "copy.NPZ", "copy"])
def test_a_saved_recording_is_read_back_and_never_replaced(
    recording: Recording, tmp_path: Path, name: str
) -> None:
    recording.save(tmp_path / name)
    if name.endswith("csv"):
        assert same(Recording.from_csv(tmp_path / name), recording)
    elif name != "copy.NPZ":
        assert same(load_recording(tmp_path / name, None), recording)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(DynidError, match="exists"):
        recording.save(tmp_path / name)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_recording_without_a_folder_leaves_nothing(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        recording.save(tmp_path / "none" / "copy.npz")
    assert list(tmp_path.iterdir()) == []


def test_gaps_are_gaps_when_a_saved_recording_is_read(recording: Recording, tmp_path: Path) -> None:
    missing = np.zeros(300, bool)
    missing[100:180] = True
    gapped = replace(recording, missing=missing, gaps=((100, 180),))
    for name in ("gap.npz", "gap"):
        gapped.save(tmp_path / name)
        read = load_recording(tmp_path / name, None)
        assert read.gaps == gapped.gaps
        assert len(read) == len(gapped)


@pytest.mark.parametrize("index", [0, "elbow", slice(0, 2, 2), (1, 2), slice("a", "b")])
def test_an_index_that_is_no_span_is_refused(recording: Recording, index: object) -> None:
    with pytest.raises(ArgumentError, match=r"recording\[2:8\]"):
        recording[index]  # type: ignore[index]
