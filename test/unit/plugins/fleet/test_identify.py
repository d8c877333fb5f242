"""Every recording is identified once, and again when its content or the settings change."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import fsspec
import numpy as np
import pytest
from support.arm_fleet import record_day, write_fleet, write_profile

import dynid
from dynid_plugins.fleet.dataset import DataSet, load, writer
from dynid_plugins.fleet.identify import FleetRun, identify_fleet
from dynid_plugins.fleet.settings import Fleet


def counts(run: FleetRun) -> tuple[int, int, int]:
    return run.identified, run.failed, run.unchanged


def rows_of(path: Path) -> dict[str, dict]:
    rows = load(path.parent / "fleet").recordings.to_pylist()
    assert len({row["recording"] for row in rows}) == len(rows)
    return {f"{row['robot']}/{Path(row['recording']).name}": row for row in rows}


def test_rows_are_those_of_the_models(client, tmp_path):
    path = write_fleet(tmp_path)
    assert counts(identify_fleet(Fleet(path), client)) == (4, 0, 0)
    results = load(tmp_path / "fleet")
    assert results.robots == ("cell_0", "cell_1")
    row = rows_of(path)["cell_1/0.npz"]
    assert (row["status"], row["verdict"], row["type"]) == ("identified", "pass", "arm")
    model = dynid.load_model(tmp_path / "fleet" / row["model"])
    mine = [
        one
        for one in results.of_robot("cell_1").parameters.to_pylist()
        if one["recording"] == row["recording"]
    ]
    assert [one["parameter"] for one in mine] == list(model.base.names)
    assert np.allclose([one["value"] for one in mine], model.base.values, rtol=1e-8)
    lower = np.tril_indices(len(mine))
    assert np.allclose(row["covariance"], model.base.covariance[lower], rtol=1e-6)
    kinds = {one["parameter"]: (one["kind"], one["joint"]) for one in mine}
    assert kinds["Fc2"] == ("coulomb", "elbow")
    assert kinds["MX3"] == ("rigid", "wrist")
    recordings, parameters = results.to_frames()
    assert (len(recordings), len(parameters)) == (4, 4 * len(mine))


def test_nothing_is_identified_twice(client, tmp_path):
    path = write_fleet(tmp_path)
    identify_fleet(Fleet(path), client)
    kept = [one for one in (tmp_path / "fleet").rglob("*.*") if one.name != "progress.json"]
    before = {one: one.stat().st_mtime_ns for one in kept}
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 4)
    assert {one: one.stat().st_mtime_ns for one in before} == before
    touched = tmp_path / "rec" / "cell_0" / "1.npz"
    old = rows_of(path)["cell_0/1.npz"]
    os.utime(touched, (1.0, 1.0))
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 4)
    new = rows_of(path)["cell_0/1.npz"]
    assert new["fingerprint"] != old["fingerprint"]
    assert new["finished_at"] == old["finished_at"]
    assert counts(identify_fleet(Fleet(path), client, again=True)) == (4, 0, 0)


def test_a_changed_recording_replaces_its_results(client, tmp_path):
    path = write_fleet(tmp_path)
    identify_fleet(Fleet(path), client)
    old = rows_of(path)["cell_0/1.npz"]
    record_day(tmp_path / "rec" / "cell_0" / "1.npz", seed=7)
    assert counts(identify_fleet(Fleet(path), client)) == (1, 0, 3)
    new = rows_of(path)["cell_0/1.npz"]
    assert new["content_sha256"] != old["content_sha256"]
    assert not (tmp_path / "fleet" / old["model"]).exists()
    parameters = load(tmp_path / "fleet").parameters
    per_recording = Counter(parameters["recording"].to_pylist())
    assert len(set(per_recording.values())) == 1


@pytest.mark.thorough
def test_other_settings_identify_everything_again(client, tmp_path):
    path = write_fleet(tmp_path, robots=1)
    identify_fleet(Fleet(path), client)
    text = path.read_text().replace("arm.yaml,", "arm.yaml, set: [identification.cutoff_hz=10],")
    path.write_text(text)
    assert counts(identify_fleet(Fleet(path), client)) == (2, 0, 0)


def test_a_failure_is_a_row_and_ends_nothing(client, tmp_path):
    path = write_fleet(tmp_path)
    damaged = tmp_path / "rec" / "cell_0" / "0.npz"
    damaged.write_bytes(damaged.read_bytes()[:2000])
    assert counts(identify_fleet(Fleet(path), client)) == (3, 1, 0)
    row = rows_of(path)["cell_0/0.npz"]
    assert (row["status"], row["model"], row["verdict"]) == ("failed", None, None)
    assert "0.npz" in row["message"]
    # the same content fails in the same way
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 4)


def test_an_interruption_between_the_tables_loses_and_doubles_nothing(
    client, tmp_path, monkeypatch
):
    path = write_fleet(tmp_path, robots=1)
    write = DataSet._write

    def interrupted(self, name, robot, table):
        if name == "recordings":
            raise KeyboardInterrupt
        write(self, name, robot, table)

    with monkeypatch.context() as patched:
        patched.setattr(DataSet, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            identify_fleet(Fleet(path), client)
    assert counts(identify_fleet(Fleet(path), client)) == (2, 0, 0)
    parameters = load(tmp_path / "fleet").parameters
    assert len(set(Counter(parameters["recording"].to_pylist()).values())) == 1
    assert len(rows_of(path)) == 2


def test_a_table_has_times_and_temperatures(client, tmp_path):
    write_profile(tmp_path)
    record_day(tmp_path / "monday.npz", seed=1)
    record_day(tmp_path / "tuesday.npz", seed=2)
    table = tmp_path / "recordings.csv"
    table.write_text(
        "robot,recording,time,temperature\n"
        "left,monday.npz,2026-03-02T08:00:00Z,21.5\nleft,tuesday.npz,2026-03-03T08:00:00Z,\n"
    )
    path = tmp_path / "fleet.yaml"
    path.write_text("types: {arm: {profile: arm.yaml, table: recordings.csv}}\n")
    assert counts(identify_fleet(Fleet(path), client)) == (2, 0, 0)
    row = rows_of(path)["left/monday.npz"]
    assert row["recorded_at"].isoformat() == "2026-03-02T08:00:00+00:00"
    assert row["temperature"] == 21.5
    assert rows_of(path)["left/tuesday.npz"]["temperature"] is None
    # a corrected time is taken over without another identification
    table.write_text(table.read_text().replace("T08:00:00Z,21.5", "T09:00:00Z,22.5"))
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 2)
    assert rows_of(path)["left/monday.npz"]["temperature"] == 22.5
    assert rows_of(path)["left/monday.npz"]["recorded_at"].hour == 9


def test_temperatures_are_those_of_the_recording_if_no_table_has_them(client, tmp_path):
    path = write_fleet(tmp_path, robots=1, days=1)
    file = tmp_path / "rec" / "cell_0" / "0.npz"
    arrays = dict(np.load(file))
    arrays["temperature"] = np.full(arrays["position"].shape, [20.0, 22.0, 27.0])
    np.savez(file, **arrays)
    assert counts(identify_fleet(Fleet(path), client)) == (1, 0, 0)
    assert rows_of(path)["cell_0/0.npz"]["temperature"] == 23.0
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 1)
    os.utime(file)  # the listing changed, the content did not
    assert counts(identify_fleet(Fleet(path), client)) == (0, 0, 1)
    assert rows_of(path)["cell_0/0.npz"]["temperature"] == 23.0


def test_recordings_are_read_from_other_places(client, tmp_path):
    write_profile(tmp_path)
    system = fsspec.filesystem("memory")
    source = record_day(tmp_path / "0.npz", seed=1)
    system.pipe("/fleet_of_tests/cell_7/0.npz", source.read_bytes())
    path = tmp_path / "fleet.yaml"
    pattern = "memory://fleet_of_tests/{robot}/*.npz"
    path.write_text(f"types: {{arm: {{profile: arm.yaml, recordings: '{pattern}'}}}}\n")
    assert counts(identify_fleet(Fleet(path), client)) == (1, 0, 0)
    assert rows_of(path)["cell_7/0.npz"]["recording"].startswith("memory://")
    system.rm("/fleet_of_tests", recursive=True)


def test_one_process_writes_at_a_time(client, tmp_path):
    path = write_fleet(tmp_path, robots=1, days=1)
    with (
        writer(tmp_path / "fleet"),
        pytest.raises(dynid.WriteError, match="another 'dynid fleet identify' writes to it"),
    ):
        identify_fleet(Fleet(path), client)
