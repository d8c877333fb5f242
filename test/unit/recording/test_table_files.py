"""Tables of every kind are read as the same recording, or refused with what to do."""

from __future__ import annotations

import io
import json
import pickle
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from dynid.errors import RecordingError
from dynid.recording.bag_folder import KINDS, is_bag
from dynid.recording.load import SUFFIXES, load_recording

JOINTS = ("j1", "j2")
TIME = np.arange(0, 2, 0.01)
ANGLES = np.column_stack([np.sin(TIME), np.cos(2 * TIME)]).round(6)
SPEEDS = np.column_stack([np.cos(TIME), -2 * np.sin(2 * TIME)]).round(6)
TORQUES = np.column_stack([5 * np.sin(TIME), 3 * np.cos(TIME)]).round(6)
ARRAYS = {"t": TIME, "q": ANGLES, "dq": SPEEDS, "tau": TORQUES}
HEADER = "t,q1,q2,tau1,tau2"
PLAIN = np.column_stack([TIME, ANGLES, TORQUES])


def rows(delimiter: str = ",", decimal: str = ".", times: list[str] | None = None) -> list[str]:
    cells = [[f"{value:.6f}" for value in row] for row in PLAIN]
    if times is not None:
        cells = [[time, *row[1:]] for time, row in zip(times, cells, strict=True)]
    return [delimiter.join(row).replace(".", decimal) for row in cells]


def expect_motion(path: Path, tolerance: float = 1e-6) -> None:
    recording = load_recording(path, JOINTS, effort="torque")
    assert recording.sampling_rate == pytest.approx(100)
    np.testing.assert_allclose(recording.position, ANGLES, atol=tolerance)
    np.testing.assert_allclose(recording.effort, TORQUES, atol=10 * tolerance)


def write_lines(path: Path, *lines: str, encoding: str = "utf-8", end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode(encoding))
    return path


@pytest.mark.parametrize(
    "above",
    [
        ["Name,Scope Project", "File,Axes.tcscopex", "Start,01.05.2024 12:00", "", HEADER],
        ["Date,2024-05-01 12:00", HEADER, "s,rad,rad,Nm,Nm"],
        ["Log of robot 7", HEADER],
        [*(f"Setting {place};{place}" for place in range(60)), HEADER],
        ["time,position,,torque,", ",j1,j2,j1,j2"],
        ["t,q,q,tau,tau", "s,joint 1,joint 2,joint 1,joint 2"],
        [HEADER, "[s],[rad],[rad],[Nm],[Nm]"],
        ["# made by a script", f"# {HEADER}"],
        ["Time,Position,,Torque,", ",j1,j2,j1,j2", "s,rad,rad,Nm,Nm"],
        ["X_Value,q1 (rad),q2 (rad),tau1 (N*m),tau2 (N*m)"],
        ["Time/s,q1/rad,q2/rad,tau1/Nm,tau2/Nm"],
        ["t{s},q1{rad},q2{rad},tau1<Nm>,tau2<Nm>"],
        ["ts,qs_1,qs_2,taus_1,taus_2"],
        [
            "timestamp,/js.position[:]{name=='j1'},/js.position[:]{name=='j2'},"
            "/js.effort[:]{name=='j1'},/js.effort[:]{name=='j2'}"
        ],
    ],
    ids=[
        *("TwinCAT", "units", "title", "long", "two", "repeated", "bracketed units", "comments"),
        *("merged cells", "LabVIEW", "units behind slashes", "braces", "plurals", "Foxglove"),
    ],
)
def test_lines_above_the_numbers_are_skipped(tmp_path: Path, above: list[str]) -> None:
    expect_motion(write_lines(tmp_path / "log.csv", *above, *rows()))


def test_a_row_of_units_scales_the_numbers(tmp_path: Path) -> None:
    units = "ms,deg,deg,mNm,mNm"
    scaled = PLAIN * [1e3, *[180 / np.pi] * 2, 1e3, 1e3]
    numbers = [",".join(f"{value:.9g}" for value in row) for row in scaled]
    expect_motion(write_lines(tmp_path / "log.csv", HEADER, units, *numbers), 1e-5)


def test_an_unknown_unit_is_asked(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "log.csv", HEADER, "s,rad,rad,ft lbf,ft lbf", *rows())
    with pytest.raises(RecordingError, match="the unit 'ftlbf' of tau1 is unknown"):
        load_recording(path, JOINTS, effort="torque")


def test_a_measurement_file_with_tabs_has_a_preamble(tmp_path: Path) -> None:
    above = ["LabVIEW Measurement\t", "Writer_Version\t2", "***End_of_Header***\t"]
    lines = [*above, HEADER.replace(",", "\t"), *rows("\t")]
    expect_motion(write_lines(tmp_path / "log.lvm", *lines, end="\r\n"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_of_spreadsheets_are_read(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    first = mark + HEADER.replace(",", ";")
    lines = [first, *rows(";", decimal=",")]
    expect_motion(write_lines(tmp_path / "log.csv", *lines, encoding=encoding, end="\r\n"))


@pytest.mark.parametrize(
    "pattern",
    [
        "%Y-%m-%d %H:%M:%S.%f",
        "%Y-%m-%dT%H:%M:%S.%fZ",
        "%Y-%m-%dT%H:%M:%S.%f000+02:00",
        "%d.%m.%Y %H:%M:%S.%f",
        "%H:%M:%S.%f",
        "%m/%d/%Y %H:%M:%S.%f",
        "%d/%m/%Y %H:%M:%S.%f",
        "%Y/%m/%d %H:%M:%S.%f",
        "%m/%d/%Y %I:%M:%S.%f %p",
        "%I:%M:%S.%f %p",
    ],
)
@pytest.mark.parametrize("hour", [0, 11, 23])
def test_dates_are_times(tmp_path: Path, pattern: str, hour: int) -> None:
    if pattern == "%d/%m/%Y %H:%M:%S.%f" and hour == 23:
        pytest.skip("a day that may be a month is read as one")
    start = datetime(2024, 5, 1, hour, 59, 59, tzinfo=timezone.utc)
    times = [(start + timedelta(seconds=second)).strftime(pattern) for second in TIME]
    expect_motion(write_lines(tmp_path / "log.csv", HEADER, *rows(times=times)))


@pytest.mark.parametrize("brackets", ["[{}]", "({})", "array([{}])"])
def test_elements_of_lists_are_columns(tmp_path: Path, brackets: str) -> None:
    def listed(values: np.ndarray) -> str:
        return '"' + brackets.format(", ".join(map(str, values))) + '"'

    names = "\"['j2', 'j1']\""
    lines = [
        f"{time:.2f},{names},{listed(q[::-1])},{listed(tau[::-1])}"
        for time, q, tau in zip(TIME, ANGLES, TORQUES, strict=True)
    ]
    expect_motion(write_lines(tmp_path / "log.csv", "Time,name,position,effort", *lines))


def test_lists_whose_names_change_are_refused(tmp_path: Path) -> None:
    lines = ["Time,name,position,effort"]
    for place in range(20):
        names = "['a', 'b']" if place % 2 else "['b', 'a']"
        lines.append(f'{place / 100},"{names}","[1, 2]","[3, 4]"')
    path = write_lines(tmp_path / "log.csv", *lines)
    with pytest.raises(RecordingError, match="line 3 names other elements than line 2"):
        load_recording(path, ("a", "b"))


def save_npz(path: Path) -> None:
    np.savez(path, **ARRAYS)


def save_transposed_mat(path: Path) -> None:
    savemat(path, {name: array.T for name, array in ARRAYS.items()})


def save_nested_mat(path: Path) -> None:
    savemat(path, {"log": ARRAYS, "comment": "pick and place", "n": 3})


def save_structured_npy(path: Path) -> None:
    kind = [(name, float) for name in HEADER.split(",")]
    np.save(path, np.array([tuple(row) for row in PLAIN], dtype=kind))


def save_json_of_lists(path: Path) -> None:
    path.write_text(json.dumps({name: array.tolist() for name, array in ARRAYS.items()}))


def save_json_of_rows(path: Path) -> None:
    pairs = zip(TIME.tolist(), ANGLES.tolist(), TORQUES.tolist(), strict=True)
    path.write_text(json.dumps([{"t": t, "q": q, "tau": tau} for t, q, tau in pairs]))


def save_nested_json(path: Path) -> None:
    lists = {name: array.tolist() for name, array in ARRAYS.items()}
    path.write_text(json.dumps({"robot": "arm", "data": lists}))


def save_json_of_joints(path: Path) -> None:
    joints = {
        joint: {"q": ANGLES[:, n].tolist(), "tau": TORQUES[:, n].tolist()}
        for n, joint in enumerate(JOINTS)
    }
    path.write_text(json.dumps({"t": TIME.tolist(), **joints}))


def save_rows_of_joints(path: Path) -> None:
    path.write_text(json.dumps(list(rows_of_joints())))


def save_json_lines(path: Path) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of_joints()))


def rows_of_joints():
    for time, q, tau in zip(TIME.tolist(), ANGLES.tolist(), TORQUES.tolist(), strict=True):
        states = zip(JOINTS, q, tau, strict=True)
        yield {"t": time, **{joint: {"q": angle, "tau": effort} for joint, angle, effort in states}}


def save_simulink_mat(path: Path) -> None:
    savemat(path, {"out": {"tout": TIME, "q": ANGLES, "tau": TORQUES}})


def save_parquet(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"t": TIME, "q": ANGLES.tolist(), "tau": TORQUES.tolist(), "note": ["x"] * len(TIME)}
    parquet.write_table(arrow.table(columns), path)


def save_hdf5(path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, array in ARRAYS.items():
            file[f"log/{name}"] = array


@pytest.mark.parametrize(
    ("save", "ending"),
    [
        (save_npz, "npz"),
        (save_transposed_mat, "mat"),
        (save_nested_mat, "mat"),
        (save_structured_npy, "npy"),
        (save_json_of_lists, "json"),
        (save_json_of_rows, "json"),
        (save_nested_json, "json"),
        (save_json_of_joints, "json"),
        (save_rows_of_joints, "json"),
        (save_json_lines, "jsonl"),
        (save_simulink_mat, "mat"),
        (save_parquet, "parquet"),
        (save_hdf5, "h5"),
    ],
)
def test_arrays_with_usual_names_are_read(tmp_path: Path, save, ending: str) -> None:
    path = tmp_path / f"log.{ending}"
    save(path)
    expect_motion(path)


@pytest.mark.parametrize("ending", ["mat", "json"])
def test_names_of_joints_decide_about_the_order_of_columns(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"log.{ending}"
    swapped = {"t": TIME, "q": ANGLES[:, ::-1], "tau": TORQUES[:, ::-1]}
    if ending == "mat":
        names = np.array(["j2", "j1"], dtype=object)
        savemat(path, {**swapped, "joint_names": names})
    else:
        lists = {name: array.tolist() for name, array in swapped.items()}
        path.write_text(json.dumps({**lists, "joint_names": ["j2", "j1"]}))
    expect_motion(path)


def test_a_mat_file_of_the_hdf5_kind_names_the_library(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    path = tmp_path / "log.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(600))
    with pytest.raises(RecordingError, match="needs h5py: pip install h5py, or save it with '-v7'"):
        load_recording(path, JOINTS)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("log.pkl", r"is a pickle.*to_csv\('log.csv'\)"),
        ("log.pickle", "is a pickle"),
        ("log.XLSX", "workbook of Excel; export it as CSV"),
        ("log.ods", "workbook of LibreOffice; export it as CSV"),
        ("log.tdms", "TDMS file of LabVIEW; export it as CSV"),
    ],
)
def test_other_formats_are_refused_with_how_to_export(
    tmp_path: Path, name: str, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(pickle.dumps(ARRAYS))
    with pytest.raises(RecordingError, match=sentence):
        load_recording(path, JOINTS)


@pytest.mark.parametrize("ending", ["mat", "npy", "npz", "parquet", "json"])
@pytest.mark.parametrize("content", [b"", b"\0" * 300, b"MATLAB 5.0 MAT-file" * 40])
def test_damaged_arrays_are_refused_by_name(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"log.{ending}"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=rf"log\.{ending}") as refusal:
        load_recording(path, JOINTS)
    assert len(str(refusal.value)) < 300


def test_arrays_of_objects_are_never_unpickled(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([{"q": 1}], dtype=object), allow_pickle=True)
    path = tmp_path / "log.npy"
    path.write_bytes(stream.getvalue())
    with pytest.raises(RecordingError, match="Object arrays cannot be loaded"):
        load_recording(path, JOINTS)


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_every_listed_ending_has_a_reader_in_any_case(tmp_path: Path, suffix: str) -> None:
    for ending in (suffix, suffix.upper()):
        path = tmp_path / f"log{ending}"
        path.write_text("nothing\n")
        assert is_bag(path) == (suffix in KINDS)
        with pytest.raises(RecordingError, match=f"log{ending}"):
            load_recording(path, JOINTS)
