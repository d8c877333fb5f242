"""The progress of a run is seen while it runs, and that it ended, however it did."""

from __future__ import annotations

import pytest

from dynid_plugins.fleet.progress import RunProgress, left_progress, read_progress


def test_no_run_has_no_progress(tmp_path):
    assert read_progress(tmp_path) is None


def test_a_run_is_seen_until_it_ends(tmp_path):
    called: list[tuple[int, int]] = []
    with left_progress(tmp_path, lambda done, count: called.append((done, count))) as report:
        assert read_progress(tmp_path) == RunProgress(running=True, done=0, count=0)
        report(99, 100)
        report(100, 1000)
        assert read_progress(tmp_path) == RunProgress(running=True, done=100, count=1000)
    assert read_progress(tmp_path) == RunProgress(running=False, done=100, count=1000)
    assert called == [(99, 100), (100, 1000)]


@pytest.mark.parametrize(
    "content",
    [
        *("[1]", "{}", "\xff", '{"done": "x", "all": 2}', '{"done": 1.5, "all": 2}'),
        *('{"done": Infinity, "all": 2}', '{"done": 1, "all": NaN}', '{"done": 3, "all": 2}'),
        *('{"done": -1, "all": 2}', '{"done": true, "all": 2}', '{"done": 1, "all": 1' + 30 * "0"),
    ],
)
def test_a_file_of_something_else_is_no_progress(tmp_path, content):
    (tmp_path / "progress.json").write_text(content, "latin-1")
    assert read_progress(tmp_path) is None
