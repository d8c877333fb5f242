"""Recordings from servers and folders, and of robots whose files have different columns."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.arm_fleet import record_day, write_profile

from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.load import load_recording
from dynid.robot.robot import Robot
from dynid_plugins.fleet import work
from dynid_plugins.fleet.dataset import load
from dynid_plugins.fleet.identify import identify_fleet
from dynid_plugins.fleet.listing import Entry
from dynid_plugins.fleet.settings import Fleet
from dynid_plugins.fleet.work import Outcome, process


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each of them."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the URL and the folder of a web server."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}", folder
        served.shutdown()
        thread.join()


def test_recordings_of_a_web_server_are_identified_once(client, server, tmp_path):
    pytest.importorskip("aiohttp", reason="aiohttp: pip install aiohttp")
    url, folder = server
    write_profile(tmp_path)
    record_day(folder / "0.npz", seed=1)
    rows = [f"left,{url}/0.npz", f"left,{url}/missing.npz"]
    (tmp_path / "days.csv").write_text("\n".join(["robot,recording", *rows]))
    path = tmp_path / "fleet.yaml"
    path.write_text("types: {arm: {profile: arm.yaml, table: days.csv}}\n")
    first = identify_fleet(Fleet(path), client)
    assert (first.identified, first.failed) == (1, 1)
    recordings = load(tmp_path / "fleet").recordings.to_pylist()
    assert {row["recording"]: row["status"] for row in recordings} == {
        f"{url}/0.npz": "identified",
        f"{url}/missing.npz": "failed",
    }
    missing = next(row["message"] for row in recordings if row["status"] == "failed")
    assert missing.startswith(f"{url}/missing.npz: cannot be copied (")
    record_day(folder / "missing.npz", seed=2)
    again = identify_fleet(Fleet(path), client)
    assert (again.identified, again.failed, again.unchanged) == (1, 0, 1)


def write_csv(source: Path, path: Path, names: str) -> None:
    """Write a recording with the columns ``names``: time, three positions, three efforts."""
    stored = np.load(source)
    rows = np.column_stack([stored["time"], stored["position"], stored["effort"]])
    path.parent.mkdir(exist_ok=True)
    np.savetxt(path, rows, fmt="%.17g", delimiter=",", header=names, comments="")


def test_each_type_has_its_own_columns(client, tmp_path):
    profile = yaml.safe_load(write_profile(tmp_path).read_text())
    source = record_day(tmp_path / "0.npz", seed=1)
    for name, (time, position, effort) in {
        "old": ("t", "q", "tau"),
        "new": ("stamp", "pos", "torque"),
    }.items():
        columns = {
            "time": {"column": time},
            "joints": list(profile["joints"]),
            "position": {"columns": [f"{position}{one}" for one in (1, 2, 3)]},
            "effort": {"columns": [f"{effort}{one}" for one in (1, 2, 3)]},
        }
        text = yaml.safe_dump(profile | {"recording": {"columns": columns}})
        (tmp_path / f"{name}.yaml").write_text(text)
        header = ",".join([time, *columns["position"]["columns"], *columns["effort"]["columns"]])
        write_csv(source, tmp_path / name / "cell.csv", header)
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "types:\n"
        "  old: {profile: old.yaml, recordings: 'old/{robot}.csv'}\n"
        "  new: {profile: new.yaml, recordings: 'new/new_{robot}.csv'}\n"
    )
    (tmp_path / "new" / "cell.csv").rename(tmp_path / "new" / "new_arm.csv")
    assert identify_fleet(Fleet(path), client).identified == 2
    results = load(tmp_path / "fleet")
    both = [results.of_robot(one).parameters["value"].to_numpy() for one in ("arm", "cell")]
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_profile(tmp_path))


def refusal(robot: Robot, place: str | Path) -> str | None:
    """Return why a recording has no result; None if it has one."""
    outcome = process(robot, Entry("one", "arm", str(place), ""), None)
    assert isinstance(outcome, Outcome)
    return outcome.row["message"] if outcome.row["status"] == "failed" else None


@pytest.mark.parametrize("protocol", ["", "local://"])
def test_a_folder_of_folders_is_not_read(robot, tmp_path, monkeypatch, protocol):
    record_day(tmp_path / "cell" / "robot" / "1.npz", seed=1)
    monkeypatch.setattr(work, "digest", lambda path: pytest.fail(f"read {path}"))
    monkeypatch.setattr(work.tempfile, "TemporaryDirectory", lambda **_: pytest.fail("copied"))
    found = refusal(robot, f"{protocol}{tmp_path / 'cell'}")
    assert found is not None
    assert "cell: is a folder without a recording; expected one of rosbag2 or LeRobot." in found


def test_a_folder_with_more_files_than_a_recording_has_is_refused(robot, tmp_path, monkeypatch):
    path = record_day(tmp_path / "1.npz", seed=1)
    write_bag(load_recording(path, None), tmp_path / "bag")
    assert refusal(robot, tmp_path / "bag") is None
    monkeypatch.setenv("DYNID_MAX_RECORDING_FILES", "1")
    found = refusal(robot, tmp_path / "bag")
    assert found is not None
    assert "bag: has 2 files or more, but at most 1 are allowed" in found
    assert "set DYNID_MAX_RECORDING_FILES" in found


@pytest.mark.parametrize(
    ("name", "words"), [("pipe", "is a pipe"), ("device", "is a device"), ("empty", "is empty")]
)
def test_what_has_no_end_is_refused(robot, tmp_path, name, words):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "empty").touch()
    assert words in str(refusal(robot, tmp_path / name))
