"""The search in worker processes: begun by any program, repeatable, and robust."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from support.excitation_designs import NOISE, SETTINGS, SPEC, small_design, small_model
from support.representatives import representatives
from threadpoolctl import threadpool_limits

from dynid.errors import ExcitationError
from dynid.excitation.design import worker
from dynid.excitation.design.design import Design, ExcitationSpec
from dynid.excitation.design.interior_point import STEPS
from dynid.excitation.design.optimise import Search, optimise, search
from dynid.profile import load_robot
from dynid.robot.model import nominal_model

TESTS = Path(__file__).parents[3]
DEADLINE = 600.0  # [s] for a script to end
STARTS, SEED = 3, 4

IMPORTS = """
import json, os, signal, threading
from support.excitation_designs import NOISE, SPEC, small_model
from dynid.excitation.design.optimise import optimise
"""
SEARCH = f"""
found = optimise(small_model(), SPEC, NOISE, starts={STARTS}, seed={SEED}, jobs=2)
print(json.dumps(found.objectives))
"""


@pytest.fixture(scope="module")
def expected() -> Search:
    return found_by(0)


@pytest.fixture(scope="module")
def objectives() -> list[float]:
    """What SEARCH must print."""
    found = optimise(small_model(), SPEC, NOISE, starts=STARTS, seed=SEED, jobs=1)
    return list(found.objectives)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen]:
    """The workers that this process has started."""
    started = []

    def start(*arguments, **options) -> subprocess.Popen:
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(worker, "Popen", start)
    return started


def found_by(processes: int = 2, progress=lambda _: None) -> Search:
    problem = worker.ExcitationProblem(small_model(), SPEC, NOISE, SEED)
    return search(problem.design(), problem, STARTS, processes, progress)


def assert_same(found: Search, expected: Search) -> None:
    assert found.interrupted == expected.interrupted
    for one, other in zip(found.found, expected.found, strict=True):
        assert one.start == other.start
        np.testing.assert_array_equal(one.pose, other.pose)
        np.testing.assert_array_equal(one.y, other.y)


def run(*arguments: str, script: str = "", folder: Path) -> subprocess.CompletedProcess:
    """Run Python until it has ended, and all that share its standard error."""
    return subprocess.run(
        [sys.executable, *arguments],
        input=script,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        start_new_session=True,
    )


def printed(done: subprocess.CompletedProcess) -> object:
    """What a script printed, which ended well and without any message of its workers."""
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


THREAD = "\nthread = threading.Thread(target=search)\nthread.start()\nthread.join()\n"


@pytest.mark.thorough
@pytest.mark.parametrize("from_input", [True, False], ids=["standard input", "no main guard"])
@pytest.mark.parametrize(
    "script",
    [IMPORTS + SEARCH, IMPORTS + "def search():" + indent(SEARCH, "    ") + THREAD],
    ids=["script", "thread"],
)
def test_any_program_can_search(
    tmp_path: Path, objectives: list[float], script: str, from_input: bool
) -> None:
    path = tmp_path / "script.py"
    path.write_text(script)
    done = run("-" if from_input else str(path), script=script, folder=tmp_path)
    assert printed(done) == objectives


@pytest.mark.thorough
def test_workers_import_nothing_from_the_working_directory(
    tmp_path: Path, objectives: list[float]
) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "other"
    script.write_text(IMPORTS + SEARCH)
    folder.mkdir()
    for module in ("numpy", "socket", "dynid"):
        (folder / f"{module}.py").write_text("raise SystemExit('the wrong module')\n")
    assert printed(run(str(script), folder=folder)) == objectives


@pytest.mark.thorough
def test_workers_find_modules_where_their_parent_does(
    tmp_path: Path, processes: list[subprocess.Popen], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    found_by()
    assert [process.args[4:] for process in processes] == [sys.path, sys.path]


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", [1, 2, STARTS + 1])
def test_any_number_of_workers_finds_the_same(
    jobs: int, expected: Search, processes: list[subprocess.Popen]
) -> None:
    shares: list[float] = []
    assert_same(found_by(jobs, shares.append), expected)
    assert len(processes) == min(jobs, STARTS)
    assert all(process.returncode is not None for process in processes)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.thorough
def test_the_threads_of_blas_make_no_difference() -> None:
    spec = ExcitationSpec(SETTINGS.model_copy(update={"harmonics": 12}))
    model = nominal_model(load_robot("puma560"))
    problem = worker.ExcitationProblem(model, spec, np.full(6, 0.1), SEED)
    design = problem.design()
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(first_steps(design, problem, 6))
    np.testing.assert_array_equal(*found)


def first_steps(design: Design, problem: worker.ExcitationProblem, count: int) -> np.ndarray:
    """Where a search here is after its first steps."""
    shares: list[float] = []

    def interrupt(share: float) -> None:
        shares.append(share)
        if len(shares) == count:
            raise KeyboardInterrupt

    return search(design, problem, 1, 0, interrupt).found[0].y


def steps_behind(found: tuple[worker.Step, ...]) -> int:
    """How many steps lead to the motions found; each must be one of its own start's descent."""
    return sum(
        next(
            step.behind
            for step in worker.descend(small_design(), one.start, SEED)
            if np.array_equal(step.y, one.y)
        )
        for one in found
    )


def test_an_interrupt_leaves_the_best_so_far(processes: list[subprocess.Popen]) -> None:
    shares: list[float] = []

    def interrupt(share: float) -> None:
        shares.append(share)
        if share > 0.02:
            raise KeyboardInterrupt

    result = found_by(progress=interrupt)
    assert result.interrupted
    assert steps_behind(result.found) == pytest.approx(shares[-1] * STEPS * STARTS)
    assert len(result.found) <= 2  # for two workers
    assert all(process.returncode is not None for process in processes)


@pytest.mark.thorough
def test_an_interrupt_from_a_terminal_reaches_the_parent_alone(tmp_path: Path) -> None:
    script = f"""
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background job
def interrupt(share):
    if share > 0:
        os.killpg(0, signal.SIGINT)  # as a terminal does
found = optimise(small_model(), SPEC, NOISE, starts={STARTS}, jobs=2, progress=interrupt)
print(json.dumps([found.interrupted, found.condition_number]))
"""
    interrupted, condition_number = printed(run("-", script=IMPORTS + script, folder=tmp_path))
    assert interrupted
    assert np.isfinite(condition_number)


@pytest.mark.thorough
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
def die(share):
    if share > 0:
        os.kill(os.getpid(), signal.SIGKILL)
optimise(small_model(), SPEC, NOISE, starts={STARTS}, jobs=2, progress=die)
"""
    done = run("-", script=IMPORTS + script, folder=tmp_path)  # which waits for them
    assert (done.returncode, done.stderr) == (-9, "")


@pytest.mark.thorough
@pytest.mark.parametrize("killed", [1, 2])
def test_starts_of_killed_workers_are_repeated(
    killed: int, expected: Search, processes: list[subprocess.Popen]
) -> None:
    shares: list[float] = []

    def kill(share: float) -> None:
        shares.append(share)
        if share > 0:
            for process in processes[:killed]:
                process.kill()

    assert_same(found_by(progress=kill), expected)
    assert shares == sorted(shares)


@pytest.mark.thorough
def test_an_interrupt_of_a_repeated_start_keeps_what_its_worker_found(
    processes: list[subprocess.Popen], monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []
    repeated: list[int] = []

    def repeat(design: Design, start: int, seed: int) -> Iterator[worker.Step]:
        repeated.append(start)
        return worker.descend(design, start, seed)

    def kill_and_interrupt(share: float) -> None:
        shares.append(share)
        if repeated:
            raise KeyboardInterrupt
        if share > 0.02:
            for process in processes:
                process.kill()

    monkeypatch.setattr("dynid.excitation.design.optimise.descend", repeat)
    result = found_by(progress=kill_and_interrupt)
    assert result.interrupted
    assert shares[-1] > 0.02
    assert steps_behind(result.found) == pytest.approx(shares[-1] * STEPS * STARTS)


@pytest.mark.thorough
def test_workers_that_cannot_begin_are_done_without(
    expected: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_PROGRAM", "")
    assert_same(found_by(), expected)


def test_processes_that_the_system_refuses_are_done_without(
    expected: Search, processes: list[subprocess.Popen], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = worker.Popen

    def refuse_the_second(*arguments, **options) -> subprocess.Popen:
        if processes:
            raise BlockingIOError
        return start(*arguments, **options)

    monkeypatch.setattr(worker, "Popen", refuse_the_second)
    assert_same(found_by(), expected)
    assert len(processes) == 1


@pytest.mark.parametrize("executable", representatives(["", None, "/usr/bin/uwsgi"], 1))
def test_a_program_that_embeds_python_searches_by_itself(
    executable: str | None,
    expected: Search,
    processes: list[subprocess.Popen],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert_same(found_by(), expected)
    assert processes == []


def test_an_error_in_a_worker_is_raised_by_its_parent(capfd: pytest.CaptureFixture[str]) -> None:
    settings = SETTINGS.model_copy(update={"centre": (0.0, 0.0)})
    spec = ExcitationSpec(settings, from_centre=True)
    with pytest.raises(ExcitationError, match="cannot rest at its centre"):
        optimise(small_model(torque_max=[1.0, 1.0]), spec, NOISE, starts=2, jobs=2)
    assert capfd.readouterr().err == ""
