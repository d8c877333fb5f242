"""``dynid fleet identify`` as a user calls it, and the queries of its page."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.arm_fleet import write_fleet

from dynid.cli import main

pytest.importorskip("distributed", reason="Dask: pip install 'dynid[fleet]'")
pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
PAGE = Path(__file__).parents[3] / "docs" / "fleet.md"


@pytest.fixture
def run(client, capsys, monkeypatch):
    """Return a function that calls the command on threads, which start faster than processes."""

    @contextmanager
    def threads(*_, **__):
        yield client

    monkeypatch.setattr("dynid.fleet.engine.cluster", threads)

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dynid", "fleet", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        output = capsys.readouterr()
        return end.value.code or 0, output.out, output.err

    return call


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
    code, _, err = run("identify", "x", "--scheduler", "tcp://a:1", "--workers", "2")
    assert code == 2
    assert "--workers is for processes on this machine" in err


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
