"""Commands that are killed at any change of the file system that they make."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from support.folder_content import hidden, visible
from support.snapshots import snapshots

from dynid import cli
from dynid.files import write_text

MINE = {"notes.txt": b"the user's"}


def run(monkeypatch: pytest.MonkeyPatch, arguments: list[object]) -> int:
    monkeypatch.setattr(sys, "argv", ["dynid", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


COMMANDS = {
    "identify": lambda shop, out: shop.identify(out),
    "identify that fails": lambda shop, out: shop.identify(
        out, "--set", "identification.max_relative_torque_error=0.0001"
    ),
    "validate": lambda shop, out: ["validate", shop.other_bag, "-m", shop.model, "-o", out],
    "diagnose": lambda shop, out: ["diagnose", shop.bag, "-p", shop.profile, "-o", out],
    "retrieve": lambda shop, out: ["retrieve", given(shop), "-p", shop.profile, "-o", out],
    "drives": lambda shop, out: ["drives", "-p", shop.folder / "driven.yaml", "-o", out, "--force"],
    "model code": lambda shop, out: ["model", "code", "-m", shop.model, "-o", out],
    "model base": lambda shop, out: ["model", "base", "-m", shop.model, "-o", out / "base.txt"],
    "import-dh": lambda shop, out: [
        *("import-dh", table(shop), "-o", out / "a.urdf"),
        *("--profile-out", out / "a.yaml", "--force"),
    ],
    "convert": lambda shop, out: ["convert", shop.bag, out / "converted"],
}


def given(shop) -> Path:
    path = shop.folder / "base.csv"
    path.write_text("name,value\nZZ1R,1.0\n")
    return path


def table(shop) -> Path:
    path = shop.folder / "table.yaml"
    rows = [{"alpha": 0.0, "theta": 0.0, "d": 0.1, "a": 0.2}]
    head = {"robot": "a", "convention": "classic", "angles": "radians", "lengths": "m"}
    path.write_text(yaml.safe_dump({**head, "rows": rows}))
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_leaves_all_old_files_or_all_new_ones(name, workshop, folder, monkeypatch) -> None:
    out = folder / "out"
    out.mkdir()
    once = COMMANDS[name](workshop, out)
    assert run(monkeypatch, once) == (1 if name == "identify that fails" else 0)
    old = {} if name == "convert" else {one: f"old {one}".encode() for one in visible(out)}
    assert old or name == "convert"
    out = folder / "again"
    for one, content in {**old, **MINE}.items():
        (out / one).parent.mkdir(parents=True, exist_ok=True)
        (out / one).write_bytes(content)
    before = visible(out)
    with snapshots(out, folder / "killed") as killed:
        run(monkeypatch, COMMANDS[name](workshop, out))
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
