"""What runs is what is shown, on what was offered, one command at a time."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.deadlines import LONGEST

from dynid.cli.start import job as job_module
from dynid.cli.start import session as session_module
from dynid.cli.start.job import Job
from dynid.cli.start.session import StartSession
from dynid.cli.start.steps import STEPS, StartStep
from dynid.errors import ConfigurationError
from dynid.recording.load import SUFFIXES

WAITING = "import time; print('begun', flush=True); time.sleep(1000)"
IGNORED = "import signal; [signal.signal(one, signal.SIG_IGN) for one in (2, 15)]"
DEAF = f"{IGNORED}; {WAITING}"  # whichever interrupts: a background job of a shell ignores Ctrl-C


class RecordedJob:
    """Stands for a command that has ended."""

    running = False
    interrupted = False
    code = 0
    begun = 0.0
    output = ""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.command = shlex.join(words)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with recordings, results and what is neither."""
    for name in ("one.csv", "two.mcap", "signals.mcap", "model.yaml", "my_excitation.yaml"):
        (tmp_path / name).touch()
    for name in (".hidden.csv", "-option.csv", "notes.pdf", "two\nlines.csv"):
        (tmp_path / name).touch()
    (tmp_path / "arm.yaml").write_text("robot: arm\nurdf: arm.urdf\n")
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "bag_0.mcap").touch()
    (tmp_path / "link.csv").symlink_to("/etc/hostname")
    return tmp_path


def until_it_says(job: Job, text: str) -> None:
    end = time.monotonic() + LONGEST
    while text not in job.output:
        assert time.monotonic() < end
        time.sleep(0.01)


def ended(job: Job) -> int | None:
    end = time.monotonic() + LONGEST
    while job.running:
        assert time.monotonic() < end
        time.sleep(0.01)
    return job.code


def with_step(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    step = SimpleNamespace(
        name="own", runs=True, results=(), words=lambda _: [*words], missing=lambda _: ""
    )
    monkeypatch.setattr(session_module, "STEPS", (step,))


@pytest.mark.parametrize("step", [one for one in STEPS if one.runs], ids=lambda step: step.name)
def test_the_command_that_is_shown_is_the_one_that_runs(
    step: StartStep, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "Job", RecordedJob)
    monkeypatch.setattr(session_module.shutil, "which", lambda name: name)
    (folder / "my.urdf").touch()
    session = StartSession(folder, str(folder / "my.urdf"))
    (before,) = (one for one in session.state()["steps"] if one["name"] == step.name)
    session.run(step.name)
    (after,) = (one for one in session.state()["steps"] if one["name"] == step.name)
    assert after["ran"] == before["command"]


def test_a_command_of_dynid_runs_by_this_installation_without_a_shell() -> None:
    job = Job(["dynid", "robots", "$(touch x)"])
    assert ended(job) == 2
    assert "$(touch x)" in job.output
    assert job.command == "dynid robots '$(touch x)'"


def test_what_a_step_needs_is_said_instead_of_running(tmp_path: Path) -> None:
    session = StartSession(tmp_path / "out")
    with pytest.raises(ConfigurationError, match="Choose a robot first"):
        session.run("view")
    with pytest.raises(ConfigurationError, match="there is none that runs"):
        session.run("play")
    assert not (tmp_path / "out").exists()


def test_robots_and_recordings_are_those_of_the_folder_and_of_the_command_line(
    folder: Path,
) -> None:
    session = StartSession(folder, "elsewhere/my.urdf", [Path("elsewhere/work.csv")])
    state = session.state()
    assert state["robots"][:2] == ["elsewhere/my.urdf", str(folder / "arm.yaml")]
    names = [one["name"] for one in state["recordings"]]
    own = ["bag", "link.csv", "one.csv", "two.mcap"]
    assert names == ["elsewhere/work.csv", *(str(folder / name) for name in own)]
    assert [one["use"] for one in state["recordings"]] == ["identification"] * 4 + ["validation"]


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.yaml", "-o", ""])
def test_nothing_else_can_be_chosen(name: str, folder: Path) -> None:
    session = StartSession(folder)
    with pytest.raises(ConfigurationError, match="is not in the list"):
        session.choose_robot(name)
    with pytest.raises(ConfigurationError, match="is not in the list"):
        session.choose_use(name, "validation")


def test_files_are_those_that_the_page_lists(folder: Path) -> None:
    session = StartSession(folder)
    assert "bag/bag_0.mcap" in session.state()["files"]
    assert session.file("bag/bag_0.mcap") == folder / "bag" / "bag_0.mcap"
    for name in ("../x", "/etc/passwd", "bag", ".hidden.csv", "-option.csv", "link.csv"):
        assert session.file(name) is None


def test_another_robot_forgets_what_ran(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "Job", RecordedJob)
    session = StartSession(folder, "scara")
    session.run("check")
    session.choose_robot("puma560")
    assert not any("ran" in one for one in session.state()["steps"])


def test_one_command_runs_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_step(monkeypatch, sys.executable, "-c", WAITING)
    session = StartSession(tmp_path, "scara")
    session.run("own")
    try:
        assert session.state()["running"] == "own"
        with pytest.raises(ConfigurationError, match="is still running; stop it first"):
            session.run("own")
        with pytest.raises(ConfigurationError, match="is still running"):
            session.choose_robot("puma560")
    finally:
        session.end()
    assert session.state()["running"] == ""


def test_stop_interrupts_as_ctrl_c_does_and_the_second_time_kills() -> None:
    polite, deaf = (Job([sys.executable, "-c", code]) for code in (WAITING, DEAF))
    for job in (polite, deaf):
        until_it_says(job, "begun")
        job.stop()
    assert ended(polite) != 0
    assert polite.interrupted
    assert deaf.running
    deaf.stop()
    assert ended(deaf) == -9


def test_the_end_of_the_page_ends_a_command_and_what_that_has_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_module, "_ENDS_WITHIN", 0.1)
    child = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {DEAF!r}]).pid)"
    job = Job([sys.executable, "-c", child])
    until_it_says(job, "begun")
    job.end()
    assert not job.running
    pid = int(job.output.split()[0] if job.output[0].isdigit() else job.output.split()[1])
    with pytest.raises(ProcessLookupError):
        _wait_for_end(pid)


def _wait_for_end(pid: int) -> None:
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError
        time.sleep(0.01)


def test_a_missing_program_is_a_sentence() -> None:
    with pytest.raises(ConfigurationError, match="no_such_program: cannot be started"):
        Job(["no_such_program"])


def test_progress_of_a_command_is_read_from_its_file() -> None:
    write = (
        "import os, time; from pathlib import Path; "
        'Path(os.environ[\'DYNID_PROGRESS_FILE\']).write_text(\'{"share": 0.5, "text": "x"}\'); '
    )
    job = Job([sys.executable, "-c", write + WAITING])
    try:
        assert job.progress() in ({}, {"share": 0.5, "text": "x"})
        until_it_says(job, "begun")
        assert job.progress() == {"share": 0.5, "text": "x"}
    finally:
        job.end()
    assert job.progress() == {}


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_every_file_that_can_be_read_is_offered(suffix: str, tmp_path: Path) -> None:
    names = [f"a{suffix}", f"b{suffix.upper()}"]
    for name in names:
        (tmp_path / name).touch()
    listed = [one["name"] for one in StartSession(tmp_path).state()["recordings"]]
    assert listed == [str(tmp_path / name) for name in names]
