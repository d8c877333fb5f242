"""Recordings of softMC's identification."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.info import describe
from dynid.recording.load import load_recording

COUNT = 200
TIME = np.arange(COUNT) / 250
POSITION = np.column_stack([np.sin(3 * TIME), 0.2 * np.cos(2 * TIME)])
TORQUE = np.column_stack([5 * np.cos(3 * TIME), 1 + 0.1 * TIME])


def written(path: Path, columns: dict[str, np.ndarray], separator: str = ",") -> Path:
    rows = np.column_stack(list(columns.values()))
    lines = [separator.join(columns), *(separator.join(map(repr, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n")
    return path


def properties(style: str) -> dict[str, np.ndarray]:
    columns: dict[str, np.ndarray] = {}
    for axis in (1, 2):
        for name, values in (
            ("tfbRaw", TORQUE[:, axis - 1]),
            ("pfbRaw", POSITION[:, axis - 1]),
            ("tfb", 0 * TIME),
            ("pfb", 0 * TIME),
            ("vfb", 0 * TIME),
            ("afb", 0 * TIME),
            ("tcmd", 0 * TIME),
            ("te", 0 * TIME),
        ):
            columns[style.format(axis=axis, name=name)] = values
    return columns


@pytest.mark.parametrize("style", ["A{axis}.{name}", "{name}{axis}", "{name}[{axis}]"])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_reads_unfiltered_positions_and_torques(tmp_path: Path, style: str, separator: str) -> None:
    path = written(tmp_path / "IDNT1.REC", properties(style), separator)
    recording = load_recording(path, ["shoulder", "elbow"], sampling_rate=250)
    np.testing.assert_array_equal(recording.position, POSITION)
    np.testing.assert_array_equal(recording.effort, TORQUE)
    assert recording.velocity is None  # softMC's is filtered
    assert recording.joint_names == ("shoulder", "elbow")
    assert recording.sampling_rate == 250
    assert recording.sources[0].kind == "softMC rec"
    assert "states no units" in recording.repairs[-1]


def test_takes_times_and_names_from_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "idnt.rec", {"Time": TIME, **properties("a{axis}.{name}")})
    recording = load_recording(path, None)
    assert recording.joint_names == ("a1", "a2")
    assert recording.sampling_rate == 250


def test_says_that_filtered_values_were_read(tmp_path: Path) -> None:
    path = written(tmp_path / "IDNT.REC", {"pfb": POSITION[:, 0], "tfb": TORQUE[:, 0]})
    recording = load_recording(path, None, sampling_rate=250)
    np.testing.assert_array_equal(recording.position[:, 0], POSITION[:, 0])
    assert recording.joint_names == ("A1",)
    assert "filtered" in recording.repairs[-1]


@pytest.mark.parametrize(
    ("columns", "joints", "rate", "sentence"),
    [
        ({"x": TIME, "y": TIME}, None, 250.0, "is not a softMC recording that dynid knows"),
        ({"A1.pfbRaw": TIME}, None, 250.0, "is not a softMC recording that dynid knows"),
        (properties("A{axis}.{name}"), ["one"], 250.0, "has 2 axes .* but the robot has 1 joints"),
        (properties("A{axis}.{name}"), None, None, "has no column 'time'"),
        ({"pfb1": TIME, "PFB[1]": TIME}, None, 250.0, "'PFB' of axis A1 appears more than once"),
    ],
)
def test_refuses_what_it_does_not_know(
    tmp_path: Path,
    columns: dict[str, np.ndarray],
    joints: list[str] | None,
    rate: float | None,
    sentence: str,
) -> None:
    path = written(tmp_path / "IDNT.REC", columns)
    with pytest.raises(RecordingError, match=sentence):
        load_recording(path, joints, sampling_rate=rate)


def test_refuses_a_file_without_header(tmp_path: Path) -> None:
    path = tmp_path / "IDNT.REC"
    np.savetxt(path, np.column_stack([POSITION, TORQUE]))
    with pytest.raises(RecordingError, match="found no header"):
        load_recording(path, None, sampling_rate=250)


def test_info_describes_it(tmp_path: Path) -> None:
    path = written(tmp_path / "IDNT.REC", {"time": TIME, **properties("{name}{axis}")})
    info = describe(path)
    assert info.kind == "softMC rec"
    assert [joint.name for joint in info.joints] == ["A1", "A2"]
    assert info.problem is None


def test_info_says_what_is_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "IDNT.REC", properties("{name}{axis}"))
    info = describe(path)
    assert info.columns == 16
    assert "has no column 'time'" in (info.problem or "")
    assert describe(path, sampling_rate=250).problem is None
