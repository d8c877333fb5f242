"""Every source of a column map has a delay, factor and sign of its own, in tables and in bags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore
from support.moving_arm import header, write_topics

from dynid.configuration import parse
from dynid.recording.columns import ColumnMap
from dynid.recording.convert import convert
from dynid.recording.load import load_recording

JOINTS = ("a", "b")
RATE, COUNT = 200.0, 1200
TIME = np.arange(COUNT) / RATE
FREQUENCY = np.array([0.4, 0.7])  # [Hz]
TOLERANCE = 3e-4  # linear interpolation of a sine of 0.7 Hz between samples of 5 ms: (w h)^2 / 8


def position(time: np.ndarray) -> np.ndarray:
    return np.sin(2 * np.pi * FREQUENCY * time[:, None])


def effort(time: np.ndarray) -> np.ndarray:
    return np.cos(2 * np.pi * FREQUENCY * time[:, None])


def column_map(names: dict[str, list[Any]], **changes: Any) -> ColumnMap:
    content: dict[str, Any] = {"joints": JOINTS}
    for key, columns in names.items():
        content[key] = {"columns": columns, **changes.get(key, {})}
    for key in ("time", "sampling_rate"):
        content |= {key: changes[key]} if key in changes else {}
    return parse(ColumnMap, content, "map.yaml")


def table(folder: Path, delays: np.ndarray, ending: str) -> Path:
    """Write positions, and negative efforts in mN m that are recorded later by ``delays`` [s]."""
    late = np.column_stack([effort(TIME - delay)[:, j] for j, delay in enumerate(delays)])
    columns = np.column_stack([TIME, position(TIME), -1000 * late])
    path = folder / f"work.{ending}"
    if ending == "npz":
        np.savez(path, clock=columns[:, 0], state=columns[:, 1:3], load=columns[:, 3:])
    else:
        separator = {"csv": ",", "txt": "\t"}[ending]
        rows = [separator.join(["t", "qa", "qb", "ta", "tb"])]
        rows += [separator.join(f"{value:.9g}" for value in row) for row in columns]
        path.write_text("\n".join(rows) + "\n")
    return path


NAMES: dict[str, list[Any]] = {"position": ["qa", "qb"], "effort": ["ta", "tb"]}
ARRAYS: dict[str, list[Any]] = {"position": ["state_1", "state_2"], "effort": ["load_1", "load_2"]}
SCALED = {"factor": 1e-3, "sign": -1}


@pytest.mark.parametrize("delays", [(0.04, 0.04), (0.0, 0.0375), (-0.02, 0.0125)])
@pytest.mark.parametrize("ending", ["csv", "txt", "npz"])
def test_efforts_of_a_table_are_shifted_back(
    tmp_path: Path, delays: tuple[float, float], ending: str
) -> None:
    names, clock = (ARRAYS, "clock") if ending == "npz" else (NAMES, "t")
    delay: Any = delays[0] if delays[0] == delays[1] else delays
    columns = column_map(names, time={"column": clock}, effort=SCALED | {"delay": delay})
    path = table(tmp_path, np.array(delays), ending)
    read = load_recording(path, ["a", "b"], columns=columns)
    _check(read, delays)
    swapped = load_recording(path, ["b", "a"], columns=columns)
    np.testing.assert_array_equal(swapped.effort, read.effort[:, ::-1])


def _check(read: Any, delays: tuple[float, ...]) -> None:
    started = max(0.0, *(-delay for delay in delays))
    np.testing.assert_allclose(read.effort, effort(read.time + started), atol=TOLERANCE)
    np.testing.assert_allclose(read.position, position(read.time + started), atol=1e-6)
    assert read.duration > TIME[-1] - 0.08
    assert any("ms back in time (delay of the column map)" in note for note in read.repairs)


def test_a_table_without_times_has_delays(tmp_path: Path) -> None:
    path = table(tmp_path, np.array([0.03, 0.03]), "csv")
    given: dict[str, Any] = {"sampling_rate": RATE, "effort": SCALED | {"delay": 0.03}}
    _check(load_recording(path, JOINTS, columns=column_map(NAMES, **given)), (0.03,))


def test_positions_can_be_late_too(tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    late = np.column_stack([TIME, position(TIME - 0.025), effort(TIME)])
    np.savetxt(path, late, delimiter=",", header="t,qa,qb,ta,tb", comments="")
    columns = column_map(NAMES, time={"column": "t"}, position={"delay": 0.025})
    read = load_recording(path, JOINTS, columns=columns)
    np.testing.assert_allclose(read.position, position(read.time), atol=1e-5)
    np.testing.assert_allclose(read.effort, effort(read.time), atol=TOLERANCE)


def test_without_a_delay_nothing_is_interpolated(tmp_path: Path) -> None:
    path = table(tmp_path, np.zeros(2), "csv")
    columns = column_map(NAMES, time={"column": "t"}, effort=SCALED | {"delay": 0.0})
    read = load_recording(path, JOINTS, columns=columns)
    assert len(read.time) == COUNT
    assert not any("resampled" in note or "delay" in note for note in read.repairs)


def bag(path: Path, delay: float) -> Path:
    """Write positions, and efforts on another topic at half the rate, stamped late."""
    types, none = get_typestore(Stores.ROS2_JAZZY), np.empty(0)

    def states(times: np.ndarray, late: float = 0.0, **signals: np.ndarray) -> tuple[str, list]:
        kind = "sensor_msgs/msg/JointState"
        every = {"position": none, "velocity": none, "effort": none}
        rows = []
        for row, time in enumerate(times):
            values = every | {name: array[row] for name, array in signals.items()}
            state = types.types[kind](header=header(types, time + late), name=[*JOINTS], **values)
            rows.append((time, state))
        return kind, rows

    slow = TIME[::2]
    topics = {
        "/position": states(TIME, position=position(TIME)),
        "/effort": states(slow, delay, effort=-effort(slow)),
    }
    return write_topics(path, topics, types)


FIELDS: dict[str, list[Any]] = {
    "position": ["/position/position[a]", "/position/position[b]"],
    "effort": ["/effort/effort[a]", "/effort/effort[b]"],
}


def test_fields_of_a_bag_are_shifted_back_in_the_same_form(tmp_path: Path) -> None:
    path = bag(tmp_path / "work", 0.05)
    given: dict[str, dict[str, Any]] = {
        "time": {"column": "stamp"},
        "effort": {"delay": 0.05, "sign": -1},
    }
    columns = column_map(FIELDS, **given)
    read = load_recording(path, JOINTS, columns=columns)
    np.testing.assert_allclose(read.position, position(read.time), atol=1e-6)
    np.testing.assert_allclose(read.effort, effort(read.time), atol=4 * TOLERANCE)
    convert(path, tmp_path / "converted", columns=columns)
    again = load_recording(tmp_path / "converted", JOINTS)
    np.testing.assert_allclose(again.effort, read.effort, atol=1e-9)


def test_an_impossible_value_is_missing_where_signals_are_shifted(tmp_path: Path) -> None:
    path = table(tmp_path, np.array([0.04, 0.04]), "csv")
    lines = path.read_text().splitlines()
    for row, value in ((300, "1e300"), (600, "-1e308")):
        cells = lines[row].split(",")
        lines[row] = ",".join([cells[0], value, *cells[2:4], value])
    path.write_text("\n".join(lines) + "\n")
    columns = column_map(NAMES, time={"column": "t"}, effort=SCALED | {"delay": 0.04})
    read = load_recording(path, JOINTS, columns=columns)
    assert np.abs(read.position).max() < 1.1
    assert np.abs(read.effort).max() < 1.1
