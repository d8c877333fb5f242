"""Files that are replaced together, if the process that writes them is killed at any time."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from itertools import count
from pathlib import Path

import pytest
from support.killed import killed_at
from support.representatives import representatives

from dynid import transaction
from dynid.errors import WriteError
from dynid.files import write_text
from dynid.transaction import settled, unfinished, written_together

# on 3.12 and later; the children only write files
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")

OLD = {"model.yaml": "old", "report.html": "old", "old_identified.urdf": "old"}
NEW = {"model.yaml": "new", "report.html": "new", "new_identified.urdf": "new"}
OWN = {"notes.txt": "the user's"}


def write(folder: Path, texts: dict[str, str], stale: str = "*_identified.urdf") -> None:
    with written_together(folder, stale=[stale]) as files:
        for name, text in texts.items():
            (files / name).write_text(text)


def seen(folder: Path) -> dict[str, str]:
    """Visible files, without those of transactions."""
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return {path.name: path.read_text() for path in visible if path.is_file()}


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def begun(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, text in {**OLD, **OWN}.items():
        (folder / name).write_text(text)


def each_kill(tmp_path: Path, work) -> list[Path]:
    """A folder for each change at which ``work(folder)`` was killed, then one where it was not."""
    folders = []
    for change in count(1):
        folders.append(tmp_path / str(change))
        begun(folders[-1])
        if not killed_at(change, lambda: work(folders[-1])):
            return folders
    raise AssertionError


def test_never_shows_files_of_two_runs(tmp_path) -> None:
    folders = each_kill(tmp_path, lambda folder: write(folder, NEW))
    old, new = {**OLD, **OWN}.items(), {**NEW, **OWN}.items()
    for folder in folders:
        found = seen(folder)
        assert OWN.items() <= found.items()
        assert found.items() <= old or found.items() <= new, (folder, found)
        if len(found) < 4:  # a part of one run, during a swap
            assert any(name.startswith(".swapping-") for name in hidden(folder)), folder
    assert len(folders) > 12


def test_the_next_run_finds_all_old_files_or_all_new_ones_and_leaves_no_others(tmp_path) -> None:
    outcomes = []
    for folder in each_kill(tmp_path, lambda folder: write(folder, NEW)):
        write_text(folder / "other.txt", "another command")
        found = seen(folder)
        assert found.pop("other.txt")
        assert found in ({**OLD, **OWN}, {**NEW, **OWN}), (folder, found)
        assert hidden(folder) == []
        outcomes.append(found == {**NEW, **OWN})
    assert outcomes == sorted(outcomes)  # new after every later kill as well
    assert {*outcomes} == {False, True}


def test_a_reader_finds_all_old_files_or_all_new_ones(tmp_path) -> None:
    for folder in each_kill(tmp_path, lambda folder: write(folder, NEW)):
        with settled(folder / "model.yaml"):
            assert seen(folder) in ({**OLD, **OWN}, {**NEW, **OWN}), folder


@pytest.mark.thorough
def test_a_kill_while_the_next_run_finishes_the_swap_loses_nothing(tmp_path) -> None:
    folders = each_kill(tmp_path, lambda folder: write(folder, NEW))
    pending = [f for f in folders if any(name.startswith(".swapping-") for name in hidden(f))]
    assert pending
    for folder in pending:
        for change in count(1):
            again = folder.with_name(f"{folder.name}-{change}")
            shutil.copytree(folder, again)
            killed = killed_at(change, lambda again=again: write_text(again / "other.txt", ""))
            with settled(again / "model.yaml"):
                found = seen(again)
                found.pop("other.txt", None)
                assert found == {**NEW, **OWN}
            if not killed:
                break


def test_a_kill_while_a_single_file_is_replaced_leaves_the_old_one_or_the_new_one(
    tmp_path,
) -> None:
    folders = each_kill(tmp_path, lambda folder: write_text(folder / "model.yaml", "new"))
    for folder in folders:
        assert seen(folder) in ({**OLD, **OWN}, {**OLD, **OWN, "model.yaml": "new"})
        write_text(folder / "report.html", "newer")
        assert hidden(folder) == []


@pytest.mark.parametrize(
    "elsewhere", representatives(["elsewhere/model.yaml", "{folder}/real.yaml"], 1)
)
def test_a_linked_file_is_followed_and_survives_a_kill(tmp_path, elsewhere) -> None:
    def linked(folder: Path) -> Path:
        target = Path(elsewhere.format(folder=folder))
        if not target.is_absolute():
            target = tmp_path / f"{folder.name}-{target.parent}" / target.name
        return target

    def work(folder: Path) -> None:
        write(folder, NEW)

    for change in count(1):
        folder = tmp_path / str(change)
        begun(folder)
        target = linked(folder)
        target.parent.mkdir(exist_ok=True)
        (folder / "model.yaml").rename(target)
        (folder / "model.yaml").symlink_to(target)
        killed = killed_at(change, lambda folder=folder: work(folder))
        write_text(folder / "other.txt", "")  # finishes what was begun
        assert (folder / "model.yaml").is_symlink()
        assert target.read_text() == (folder / "report.html").read_text()
        assert (folder / f"{target.read_text()}_identified.urdf").exists()
        assert hidden(folder) == []
        if not killed:
            assert target.read_text() == "new"
            break
    write_text(target, "newer")
    assert hidden(target.parent) == []


def test_a_reader_does_not_follow_a_link(tmp_path) -> None:
    folders = each_kill(tmp_path, lambda folder: write(folder, NEW))
    folder = next(f for f in folders if "model.yaml" not in seen(f))
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (folder / "model.yaml").symlink_to(secret)
    with (
        pytest.raises(WriteError, match="replaced only some links"),
        settled(folder / "report.html"),
    ):
        pass
    assert secret.read_text() == "mine"


def test_a_crafted_swap_reaches_nothing_outside_its_folder(tmp_path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    swap = tmp_path / "out" / ".swapping-0123abcd"
    (swap / "files").mkdir(parents=True)
    (swap / "stale.json").write_text('["../victim"]')
    with settled(tmp_path / "out" / "model.yaml"):
        pass
    write_text(tmp_path / "out" / "x", "")
    assert victim.read_text() == "mine"


def test_files_of_a_running_process_are_not_removed(tmp_path) -> None:
    with unfinished(tmp_path) as one:
        (one / "x").write_text("")
        with written_together(tmp_path) as other:  # as another process would
            (other / "model.yaml").write_text("new")
        assert (one / "x").exists()
    assert hidden(tmp_path) == []


def test_unfinished_files_of_older_versions_are_removed(tmp_path) -> None:
    (tmp_path / ".unfinished-k2_x8v9a").mkdir()
    (tmp_path / ".unfinished-k2_x8v9a" / "model.yaml").write_text("")
    (tmp_path / ".unfinished-by-the-user").mkdir()  # not ours
    write_text(tmp_path / "x", "")
    assert hidden(tmp_path) == [".unfinished-by-the-user"]


def test_two_processes_end_with_all_files_of_one_of_them(tmp_path) -> None:
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            try:
                for turn in range(25):
                    names = ("model.yaml", "report.html", f"{number}_x")
                    write(tmp_path, dict.fromkeys(names, f"{number} {turn}"), "?_x")
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    found = seen(tmp_path)
    assert len(found) == 3
    assert len(set(found.values())) == 1
    assert hidden(tmp_path) == []


def test_a_folder_in_a_files_place_is_refused_and_nothing_changes(tmp_path) -> None:
    begun(tmp_path / "out")
    (tmp_path / "out" / "model.yaml").unlink()
    (tmp_path / "out" / "model.yaml").mkdir()
    with pytest.raises(WriteError, match=r"model\.yaml: is not a file"):
        write(tmp_path / "out", NEW)
    kept = {name: text for name, text in {**OLD, **OWN}.items() if name != "model.yaml"}
    assert seen(tmp_path / "out") == kept
    assert hidden(tmp_path / "out") == []


def test_files_that_cannot_be_renamed_are_copied(tmp_path, monkeypatch) -> None:
    renamed = os.replace

    def replace(path, target) -> None:  # as where a link leads to another disk
        if Path(path).parent != Path(target).parent:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        renamed(path, target)

    begun(tmp_path / "out")
    monkeypatch.setattr(os, "replace", replace)
    write(tmp_path / "out", NEW)
    assert seen(tmp_path / "out") == {**NEW, **OWN}
    assert hidden(tmp_path / "out") == []


def test_interruptions_do_not_reach_the_swap(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "out"
    begun(folder)
    flush, unlink, removed = transaction.flush, os.unlink, count()

    def interrupted_flush(path: Path) -> None:
        if path == folder:  # the new files have become valid
            signal.raise_signal(signal.SIGINT)
        flush(path)

    def interrupted_unlink(*arguments, **options) -> None:
        if next(removed) == 1:  # the second of the old files
            signal.raise_signal(signal.SIGINT)
        unlink(*arguments, **options)

    monkeypatch.setattr(transaction, "flush", interrupted_flush)
    monkeypatch.setattr(os, "unlink", interrupted_unlink)
    others = set(threading.enumerate())  # of other tests, which may never end
    # ignored where the tests run in a shell's background job
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            write(folder, NEW)
    finally:
        signal.signal(signal.SIGINT, before)
    for thread in set(threading.enumerate()) - others:
        thread.join()
    assert seen(folder) == {**NEW, **OWN}
    assert hidden(folder) == []
