"""Every command that writes, with every fault: a sentence, and all earlier files stay."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.faulty_system import as_anybody, begin, dynid, refused
from support.folder_content import hidden, visible
from support.representatives import representatives
from support.writing_commands import ALWAYS_NEW, APART, WRITING, put

from dynid.cli.commands import OUTPUTS, all_commands, load_command

# on 3.12 and later: the children run alone
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")

FUTURE = 2208988800  # in 2040
MINE = {"notes.txt": b"the user's"}


def serial() -> None:
    """Let a fleet's command of this process work without a cluster."""
    pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
    from dynid_plugins.fleet import identify
    from dynid_plugins.fleet.cli import fleet

    fleet.connected = lambda *_: nullcontext()
    identify.completed = lambda _, function, items: (
        (item, function(*arguments)) for item, arguments in items
    )


def before(name: str, fault: Callable[[], object]) -> Callable[[], None]:
    def prepare() -> None:
        if name.startswith("fleet"):
            serial()
        fault()

    return prepare


def nothing() -> None:
    """Be no fault."""


@pytest.fixture(scope="module")
def written(workshop) -> Callable[[str], dict[str, bytes]]:
    """Return the function that gives the files of a command, which runs once."""
    known: dict[str, dict[str, bytes]] = {}

    def of(name: str) -> dict[str, bytes]:
        if name not in known:
            out = workshop / f"first {name}"
            out.mkdir()
            ended = dynid(WRITING[name](workshop, out), before(name, nothing))
            assert ended.code in {0, 1}, ended
            known[name] = visible(out)
            assert known[name]
        return known[name]

    return of


@pytest.fixture(params=representatives(list(WRITING), 5))
def name(request) -> str:
    if request.param.startswith("fleet"):
        pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
    return request.param


@pytest.fixture
def out(name, folder, written) -> Path:
    """Return a folder with other results of the command, and a file of the user."""
    old = {one: f"old {one}".encode() for one in written(name)}
    if name in ALWAYS_NEW:
        old = {}
    elif name.startswith("fleet"):
        old = written(name)  # tables that are read
    put({**old, **MINE}, folder / "out")
    return folder / "out"


def kept(folder: Path) -> dict[str, bytes]:
    """Return all visible files but a fleet's progress, which is written in place."""
    return {one: data for one, data in visible(folder).items() if one != "progress.json"}


def left(folder: Path) -> list[str]:
    """Return hidden files, without the lock of a data set, which stays."""
    return [one for one in hidden(folder) if one != ".lock"]


def test_a_full_disk_leaves_the_earlier_files(name, out, workshop) -> None:
    earlier = kept(out)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (0, 0))
    refused(dynid(WRITING[name](workshop, out), before(name, limit)), "(File too large)")
    assert kept(out) == earlier
    assert left(out) == []


@pytest.mark.thorough
def test_a_folder_without_permission_is_reported(name, out, workshop) -> None:
    earlier = kept(out)
    folders = [out, *(one for one in out.rglob("*") if one.is_dir())]
    arguments = WRITING[name](workshop, out)
    for one in folders:
        one.chmod(0o555)
    ended = dynid(arguments, before(name, as_anybody))
    for one in folders:
        one.chmod(0o755)
    refused(ended, "(Permission denied)")
    assert kept(out) == earlier
    assert left(out) == []


@pytest.mark.thorough
def test_a_file_in_the_place_of_the_folder_is_reported_and_kept(name, folder, workshop) -> None:
    out = folder / "out"
    out.write_bytes(b"the user's")
    refused(dynid(WRITING[name](workshop, out), before(name, nothing)), str(out))
    assert out.read_bytes() == b"the user's"


@pytest.mark.thorough
def test_files_that_a_clock_dated_later_are_replaced(name, out, workshop) -> None:
    earlier = kept(out)
    for path in (out, *out.rglob("*")):
        os.utime(path, (FUTURE, FUTURE))
    arguments = WRITING[name](workshop, out)
    ended = dynid(arguments, before(name, nothing))
    assert ended.code in {0, 1}, ended
    now = kept(out)
    assert now.keys() >= earlier.keys()
    same = {one for one in earlier if now[one] == earlier[one]}
    assert same == ({*MINE, "parameters/cell_0.parquet"} if name.startswith("fleet") else {*MINE})
    assert left(out) == []


def test_two_processes_in_one_folder_leave_the_results_of_one(name, out, workshop, written) -> None:
    arguments = WRITING[name](workshop, out)
    children = [begin(arguments, before(name, nothing)) for _ in range(2)]
    ended = [child.end() for child in children]
    assert any(one.code in {0, 1} for one in ended), ended
    for one in ended:
        if one.code not in {0, 1}:
            refused(one, "")
    assert visible(out).keys() == {*written(name), *MINE}
    assert left(out) == []


def _paths(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for one, found in below.items():
        yield from _paths(found, f"{name} {one}")


def test_every_command_that_writes_is_tested() -> None:
    commands = [pair for name in all_commands() for pair in _paths(load_command(name), name)]
    writing = {name for name, one in commands if not OUTPUTS.isdisjoint(p.name for p in one.params)}
    tested = {name.partition(" --")[0].partition(" that ")[0] for name in WRITING}
    assert writing <= tested | APART
    assert tested | APART <= {name for name, _ in commands}
