"""``dynid fleet identify`` as a user calls it, and the queries of its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.arm_fleet import write_dated_fleet, write_fleet

PAGE = Path(__file__).parents[4] / "docs" / "fleet.md"


def test_counts_and_exit_codes(run, tmp_path):
    path = write_fleet(tmp_path, robots=1)
    code, out, _ = run("identify", str(path))
    assert code == 0
    assert "2 recordings identified, 0 failed, 0 unchanged" in out
    (tmp_path / "rec" / "cell_0" / "2.npz").write_bytes(b"nothing")
    code, out, _ = run("identify", str(path), "--json")
    assert code == 1
    assert {**json.loads(out), "seconds": 0} == {
        "identified": 0,
        "failed": 1,
        "unchanged": 2,
        "seconds": 0,
    }


def test_bad_input_is_a_sentence(run, tmp_path):
    code, _, err = run("identify", str(tmp_path / "none.yaml"))
    assert code == 2
    assert "none.yaml" in err
    path = write_fleet(tmp_path, robots=1)
    code, _, err = run("identify", str(path), "--scheduler", "tcp://a:1", "--workers", "2")
    assert code == 2
    assert "--workers is for processes on this machine" in err
    code, _, err = run("watch", str(tmp_path))
    assert code == 2
    assert "has no results of a fleet; dynid fleet identify writes them" in err


@pytest.mark.parametrize("command", ["watch", "report", "serve"])
def test_a_fleet_file_stands_for_the_folder_of_its_results(run, tmp_path, command):
    path = write_fleet(tmp_path, robots=1)
    path.write_text(f"data_set: results\n{path.read_text()}")
    output = ["-o", str(tmp_path / "site")] if command == "report" else []
    code, _, err = run(command, str(path), *output)
    assert code == 2
    assert str(tmp_path / "results") in err


@pytest.mark.thorough
def test_watch_prints_robots_by_what_needs_a_person(run, tmp_path):
    masses = [0.0] * 5 + [0.5] * 3
    path = write_dated_fleet(tmp_path, {"calm": [0.0] * 8, "changed": masses, "short": [0.0] * 3})
    run("identify", str(path))
    arguments = (str(tmp_path / "fleet"), "--reference", "4", "--simulations", "50")
    code, out, _ = run("watch", *arguments)
    assert code == 0
    assert out.index("changed (arm, 8 recordings, until 2026-03-08):") < out.index("short (arm")
    assert "Payload or tool changed: mass +" in out
    assert "1 of 3 robots: nothing found." in out
    _, out, _ = run("watch", *arguments, "--json")
    printed = json.loads(out)["robots"]
    assert [one["robot"] for one in printed] == ["changed", "short", "calm"]
    assert [one["needs_a_person"] for one in printed] == [True, True, False]
    assert printed[0]["drift"]["changes"][0]["since"] == "2026-03-06"
    assert printed[1]["drift"] is None


def test_the_queries_of_the_page_run(run, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    path = write_fleet(tmp_path, robots=2)
    (tmp_path / "rec" / "cell_0" / "2.npz").write_bytes(b"nothing")
    run("identify", str(path))
    queries = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    friction, failed = [duckdb.sql(query).fetchall() for query in queries]
    assert {row[0] for row in friction} == {"cell_0", "cell_1"}
    assert all(0 <= row[2] < 1 for row in friction)
    assert [row[0] for row in failed] == ["cell_0"]
