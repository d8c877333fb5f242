"""Disks that are full, folders that cannot be written to, and two processes in one folder."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from support.faulty_system import as_anybody, begin, dynid, refused
from support.folder_content import hidden, visible
from support.representatives import representatives

from dynid.profile import load_model

# on 3.12 and later: the children run alone
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")


# the largest files of an identification are signals.mcap and report.html, of some 100 kB
@pytest.mark.parametrize("room", representatives([1_000, 0, 60_000, 20_000], 2))
def test_a_full_disk_leaves_the_earlier_results(room, workshop, earlier) -> None:
    before = visible(earlier)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
    refused(dynid(workshop.identify(earlier), limit), "cannot be written (File too large)")
    assert visible(earlier) == before
    assert hidden(earlier) == []


def test_a_folder_without_permission_is_reported_and_keeps_its_results(workshop, earlier) -> None:
    before = visible(earlier)
    earlier.chmod(0o555)
    ended = dynid(workshop.identify(earlier), as_anybody)
    refused(ended, "cannot be written (Permission denied)")
    assert visible(earlier) == before


def test_a_folder_that_cannot_be_created_is_reported(workshop, folder) -> None:
    folder.chmod(0o555)
    refused(dynid(workshop.identify(folder / "new"), as_anybody), "Permission denied")
    assert list(folder.iterdir()) == []


def test_a_model_in_a_read_only_folder_is_read(workshop, earlier) -> None:
    earlier.chmod(0o555)
    arguments = ["validate", workshop.other_bag, "-m", earlier / "model.yaml"]
    ended = dynid(arguments, as_anybody)
    assert ended.code == 0, ended.output


def test_a_swap_that_cannot_be_finished_is_reported_when_its_model_is_read(
    workshop, earlier
) -> None:
    swap = earlier / ".swapping-0123abcd"
    (swap / "files").mkdir(parents=True)
    (earlier / "model.yaml").rename(swap / "files" / "model.yaml")
    (swap / "stale.json").write_text("[]")
    for path in (earlier, swap, swap / "files"):
        path.chmod(0o555)
    arguments = ["validate", workshop.other_bag, "-m", earlier / "model.yaml"]
    refused(dynid(arguments, as_anybody), "the results of a run are in .swapping-0123abcd")
    for path in (earlier, swap, swap / "files"):
        path.chmod(0o755)
    ended = dynid(arguments)
    assert ended.code == 0, ended.output
    assert hidden(earlier) == []


def test_two_identifications_into_one_folder_end_well_with_the_results_of_one(
    workshop, earlier
) -> None:
    shutil.copyfile(earlier / "arm_identified.urdf", earlier / "other_identified.urdf")
    children = [
        begin(workshop.identify(earlier, "--set", f"identification.cutoff_hz={cutoff}"))
        for cutoff in (8, 9)
    ]
    ended = [child.end() for child in children]
    assert [one.code for one in ended] == [0, 0], ended
    cutoff = load_model(earlier / "model.yaml").identified_provenance.cutoff_hz
    assert cutoff in (8, 9)
    assert f"cutoff_hz: {cutoff:.1f}" in (earlier / "report.html").read_text()
    names = ["arm_identified.urdf", "model.yaml", "report.html", "signals.mcap"]
    assert sorted(path.name for path in earlier.iterdir()) == names


_ON_A_SMALL_DISK = """
import os, subprocess, sys
from pathlib import Path
from support.faulty_system import dynid
from support.folder_content import hidden, visible

source, disk, arguments = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]

def mount(*options):
    subprocess.run(["mount", *map(str, options), disk], check=True)

earlier = visible(source)
size = sum(map(len, earlier.values()))
for room in (0, 50_000, size // 2):
    mount("-t", "tmpfs", "-o", f"size={size + 16 * 4096 + room}", "tmpfs")
    for name, content in earlier.items():
        (disk / name).write_bytes(content)
    ended = dynid([*arguments, "-o", disk])
    assert ended.code == 2 and "(No space left on device)" in ended.output, ended
    assert "Traceback" not in ended.output, ended
    assert visible(disk) == earlier and hidden(disk) == [], room
    subprocess.run(["umount", disk], check=True)
mount("-t", "tmpfs", "tmpfs")
for name, content in earlier.items():
    (disk / name).write_bytes(content)
mount("-o", "remount,ro")
ended = dynid([*arguments, "-o", disk])
assert ended.code == 2 and "(Read-only file system)" in ended.output, ended
assert visible(disk) == earlier
"""


def _may_mount() -> bool:
    command = shutil.which("unshare")
    if command is None:
        return False
    tried = subprocess.run(
        [command, "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False, capture_output=True
    )
    return tried.returncode == 0


@pytest.mark.thorough
def test_a_full_disk_and_a_read_only_one_leave_the_earlier_results(workshop, folder) -> None:
    if not _may_mount():
        pytest.skip("no tmpfs can be mounted here (unshare -rm)")
    (folder / "disk").mkdir()
    arguments = [workshop.model.parent, folder / "disk", "identify", workshop.bag]
    command = ["unshare", "-rm", sys.executable, "-c", _ON_A_SMALL_DISK, *arguments]
    test = Path(__file__).parents[1]
    path = os.pathsep.join([str(test.parent), str(test), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*map(str, command), "-p", str(workshop.profile)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
