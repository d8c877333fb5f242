"""A fleet whose worker, scheduler or own process is killed: no row is lost, and none doubled."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.arm_fleet import write_fleet
from support.deadlines import LONGEST
from support.killed import killed_at

from dynid.errors import TaskError

pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
pytest.importorskip("distributed", reason="Dask: pip install 'dynid[fleet]'")

from support.dask_cluster import DaskCluster

from dynid_plugins.fleet import identify as fleet_identify
from dynid_plugins.fleet.dataset import load
from dynid_plugins.fleet.engine import cluster
from dynid_plugins.fleet.identify import FleetRun, identify_fleet
from dynid_plugins.fleet.settings import Fleet

ROBOTS, DAYS = 2, 4
ALL = ROBOTS * DAYS


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskCluster]:
    """Yield a scheduler with two workers."""
    started = DaskCluster(tmp_path)
    try:
        started.add_worker()
        started.add_worker()
        yield started
    finally:
        started.close()


def run(path: Path, address: str, progress: Callable[[int, int], None] | None = None) -> FleetRun:
    with cluster(address) as client:
        return identify_fleet(Fleet(path), client, progress=progress or (lambda _done, _all: None))


def check(path: Path, recordings: int = ALL) -> None:
    """Assert that every recording has one row, and that many parameters as every other."""
    results = load(path.parent / "fleet")
    assert Counter(results.recordings["status"].to_pylist()) == {"identified": recordings}
    assert set(Counter(results.recordings["recording"].to_pylist()).values()) == {1}
    counted = Counter(results.parameters["recording"].to_pylist())
    assert len(counted) == recordings
    assert len(set(counted.values())) == 1
    columns = (results.parameters[one].to_pylist() for one in ("recording", "parameter"))
    assert set(Counter(zip(*columns, strict=True)).values()) == {1}


@pytest.mark.thorough
def test_a_killed_worker_a_killed_scheduler_and_a_new_one(dask, tmp_path):
    path = write_fleet(tmp_path, robots=ROBOTS, days=DAYS)

    def kill_worker(done: int, _all: int) -> None:
        if done == 1:
            dask.kill_worker()

    found = run(path, dask.address, kill_worker)
    assert (found.identified, found.failed) == (ALL, 0)
    check(path)

    # everything again, but the scheduler is lost on the way
    settings = path.read_text().replace("arm.yaml,", "arm.yaml, set: [identification.cutoff_hz=9],")
    path.write_text(settings)

    def kill_scheduler(done: int, _all: int) -> None:
        if done == 3:
            dask.kill_scheduler()

    with pytest.raises(TaskError, match="Run the same command again: it goes on"):
        run(path, dask.address, kill_scheduler)
    check(path)  # old and new settings, each recording once
    other = DaskCluster(tmp_path)
    try:
        other.add_worker()
        found = run(path, other.address)
    finally:
        other.close()
    assert found.unchanged >= 3
    assert (found.identified + found.unchanged, found.failed) == (ALL, 0)
    check(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from dynid_plugins.fleet import identify
from dynid_plugins.fleet.engine import cluster
from dynid_plugins.fleet.settings import Fleet

identify._FLUSH_ROWS = 1
if __name__ == "__main__":
    with cluster(sys.argv[2]) as client:
        identify.identify_fleet(
            Fleet(Path(sys.argv[1])),
            client,
            progress=lambda done, _: os.kill(os.getpid(), signal.SIGKILL) if done == 3 else None,
        )
"""


@pytest.mark.thorough
def test_the_killed_command_goes_on_where_it_was(dask, tmp_path):
    path = write_fleet(tmp_path, robots=ROBOTS, days=DAYS)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), dask.address], check=False, timeout=LONGEST
    )
    assert ended.returncode == -signal.SIGKILL
    check(path, recordings=3)
    found = run(path, dask.address)
    assert (found.unchanged, found.identified, found.failed) == (3, ALL - 3, 0)
    check(path)


@pytest.mark.thorough
def test_the_command_killed_before_any_change_of_files_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(
        fleet_identify,
        "completed",
        lambda _client, function, items: ((item, function(*values)) for item, values in items),
    )
    monkeypatch.setattr(fleet_identify, "_FLUSH_ROWS", 1)
    path = write_fleet(tmp_path, robots=1, days=2)
    fleet = Fleet(path)
    for change in range(1, 1000):
        shutil.rmtree(fleet.data_set, ignore_errors=True)
        killed = killed_at(change, lambda: identify_fleet(fleet, None))
        found = identify_fleet(fleet, None)
        assert found.failed == 0
        check(path, recordings=2)
        if not killed:
            assert found.unchanged == 2
            break
    assert change > 8  # folders, and two tables and a model of each recording
