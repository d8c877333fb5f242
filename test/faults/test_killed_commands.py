"""Commands that are killed at any change of the file system that they make."""

from __future__ import annotations

import pytest
from support.command_line import run_dynid
from support.folder_content import hidden, visible
from support.representatives import representatives
from support.snapshots import snapshots
from support.writing_commands import ALWAYS_NEW, WRITING, put

from dynid.files import write_text

MINE = {"notes.txt": b"the user's"}


def run(monkeypatch: pytest.MonkeyPatch, arguments: list[object]) -> int:
    return run_dynid(monkeypatch, *arguments)


# test_fleet.py kills a fleet's command
COMMANDS = [name for name in WRITING if not name.startswith("fleet")]


@pytest.mark.parametrize("name", representatives(COMMANDS, 4))
def test_a_kill_leaves_all_old_files_or_all_new_ones(name, workshop, folder, monkeypatch) -> None:
    out = folder / "out"
    out.mkdir()
    assert run(monkeypatch, WRITING[name](workshop, out)) in {0, 1}
    is_new = name in ALWAYS_NEW
    old = {} if is_new else {one: f"old {one}".encode() for one in visible(out)}
    assert old or is_new
    out = folder / "again"
    put({**old, **MINE}, out)
    before = visible(out)
    with snapshots(out, folder / "killed") as killed:
        run(monkeypatch, WRITING[name](workshop, out))
    after = visible(out)
    assert hidden(out) == []
    assert after != before
    outcomes = []
    for left in killed:
        found = visible(left).items()
        assert found <= before.items() or found <= after.items(), left
        write_text(left / "next.txt", "")  # the next run
        found = {one: content for one, content in visible(left).items() if one != "next.txt"}
        assert found in (before, after), (left, sorted(found))
        assert hidden(left) == []
        outcomes.append(found == after)
    assert outcomes == sorted(outcomes)
    assert len(killed) > 2
