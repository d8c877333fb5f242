"""Messages say which joint lacks which column, and that a delimiter is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.configuration import parse
from dynid.errors import RecordingError
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording

JOINTS = ("yaw", "elbow")
MAP = {
    "time": {"column": "t"},
    "joints": list(JOINTS),
    "position": {"columns": ["q1", "q2"]},
    "effort": {"columns": ["i1", "i2"]},
}


def table(folder: Path, header: str, cell: str = "0.{0}", mark: str = ",") -> Path:
    count = header.count(mark) + 1
    rows = [
        mark.join([f"{row}", *(cell.format(row) for _ in range(count - 1))]) for row in range(9)
    ]
    path = folder / "log.csv"
    path.write_text("\n".join([header, *rows]))
    return path


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (
            "t,yaw_pos,elbow_pos,yaw_current_raw,elbow_current_raw",
            "yaw, elbow have no effort .yaw_current_raw is not taken as one because of 'raw'",
        ),
        ("t,yaw_pos,elbow_pos,yaw_current", "joint: elbow has no effort; a column map"),
        ("t,yaw_target_pos,elbow_target_pos,yaw_tau,elbow_tau", "have no position .*'target'"),
        ("n,yaw_pos,elbow_pos,yaw_tau,elbow_tau", "joint: no column is a time; a column map"),
        (
            "t,yaw_pos,elbow_pos,yaw_tau,elbow_tau,yaw_torque,elbow_torque",
            "yaw has several columns that may be its effort .yaw_tau, yaw_torque",
        ),
        ("t,q1,q2,x1,x2", "joint: no column is an effort; a column map"),
    ],
)
def test_the_joint_that_lacks_a_column_is_named(tmp_path: Path, header: str, words: str) -> None:
    path = table(tmp_path, header)
    with pytest.raises(RecordingError, match=words):
        load_recording(path, JOINTS)
    assert "a column map is needed" in (describe(path, joints=JOINTS).problem or "")


@pytest.mark.parametrize(("given", "mark"), [(";", ","), (",", ";")])
def test_another_delimiter_is_named(tmp_path: Path, given: str, mark: str) -> None:
    path = table(tmp_path, mark.join(["t", "q1", "q2", "i1", "i2"]), mark=mark)
    columns = parse(ColumnMap, MAP | {"delimiter": given}, "map")
    with pytest.raises(RecordingError, match=f"one column, .* probably '{mark}': set or remove"):
        load_recording(path, JOINTS, columns=columns)


def test_decimal_commas_between_commas_are_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"0,{row},0,{row},1,{row}" for row in range(9)]
    path.write_text("\n".join(["t,q1,i1", *rows]))
    with pytest.raises(RecordingError, match="probably have decimal commas"):
        load_recording(path, ("j1",))
