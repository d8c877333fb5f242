"""Trials of Python mutants: a process of its own imports the mutated module and runs the tests.

The process is forked from one that has imported everything but dynid, so that a trial costs
little more than its tests. The mutated module exists only in the memory of the trial.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from mutation.own_tests import QUIET, ROOT, Hypothesis, OwnTests, own_tests
from mutation.python_mutations import places, text
from mutation.trial import Mutant, Outcome

CPU_FACTOR = 10  # a trial may take so many times what its tests take without a mutant ...
CPU_REST = 20.0  # [s] ... and this more
WALL_FACTOR = 60  # for a trial that waits and computes nothing
MEMORY = 8 << 30


def sample(sources: list[Path], count: int, seed: int) -> list[Mutant]:
    """``count`` places drawn without repetition, and one mistake at each, if it makes one."""
    choices = [
        (source, number)
        for source in sources
        for number in range(len(places(ast.parse(source.read_text()))))
    ]
    draw = random.Random(seed)
    drawn = sorted(draw.sample(choices, min(count, len(choices))))
    mutants = [_mutant(source, number, draw.random()) for source, number in drawn]
    # e @ e with its operands exchanged is no mistake
    return [one for one in mutants if one.source != ast.unparse(ast.parse(_text(one.path)))]


def named(sources: list[Path], names: set[str]) -> list[Mutant]:
    """Mutants with these names, even if other parts of their sources have changed."""
    mutants = []
    for source in sources:
        for number, place in enumerate(places(ast.parse(source.read_text()))):
            every = range(len(place.choices))
            candidates = (_mutant(source, number, (which + 0.5) / len(every)) for which in every)
            at = f"{source.relative_to(ROOT)}:{place.line}: "
            if any(name.startswith(at) for name in names):
                mutants += [one for one in candidates if str(one) in names]
    return mutants


def _text(path: str) -> str:
    return (ROOT / path).read_text()


def _mutant(source: Path, number: int, which: float) -> Mutant:
    tree = ast.parse(source.read_text())
    place = places(tree)[number]
    new = place.choices[int(which * len(place.choices))]
    after = text(new)
    place.put(new)
    name = str(source.relative_to(ROOT))
    return Mutant(name, place.line, place.before, after, ast.unparse(tree), place.statement)


def run(
    sources: list[Path], folder: Path, mutants: list[Mutant], jobs: int
) -> Iterator[tuple[Mutant, Outcome]]:
    """Try every mutant against the tests of a folder; yield outcomes as soon as they are known."""
    os.chdir(ROOT)
    tests = own_tests(sources, folder, jobs)
    _import_before_forking(tests.modules)
    running: dict[int, tuple[Mutant, Path]] = {}
    waiting = list(mutants)
    with tempfile.TemporaryDirectory(prefix="dynid-mutants-") as scratch:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop(0)
                selected = tests.of(mutant.path, (mutant.line, mutant.statement))
                if not selected:
                    yield mutant, Outcome("survived", "no test runs this line")
                    continue
                report = Path(scratch) / f"{len(waiting)}.json"
                running[_start(mutant, tests, selected, report)] = mutant, report
            if running:
                child, status = os.wait()
                mutant, report = running.pop(child)
                yield mutant, _outcome(status, report)


def _import_before_forking(modules: set[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(modules):
            if not name.startswith(("_pytest", "py")):
                try:
                    importlib.import_module(name)
                except Exception:  # noqa: S112 - the trial imports it in its own order
                    continue


def _start(mutant: Mutant, tests: OwnTests, selected: list[str], report: Path) -> int:
    everything = tests.in_files_of(selected)
    expected = sum(tests.seconds[one] for one in everything)
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = _try(mutant, selected, everything, expected, report)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


def _try(
    mutant: Mutant, selected: list[str], everything: list[str], expected: float, report: Path
) -> int:
    log = os.open(report.with_suffix(".log"), os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    limit = int(CPU_FACTOR * expected + CPU_REST)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(int(WALL_FACTOR * (expected + 10)))
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, _Mutated(mutant))
    files = sorted({str(ROOT / one.split("::")[0]) for one in everything})
    code = pytest.main([*QUIET, *files], plugins=[_Ordered(selected, report), Hypothesis()])
    return int(code)


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds one module, and gives its mutated source."""

    def __init__(self, mutant: Mutant) -> None:
        name = mutant.path.removesuffix(".py").replace("/", ".")
        self.package = name.endswith(".__init__")
        self.name = name.removesuffix(".__init__")
        self.file = str(ROOT / mutant.path)
        self.source = mutant.source

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.file, is_package=self.package)

    def get_source(self, name):
        return self.source

    def is_package(self, name):
        return self.package

    def exec_module(self, module) -> None:
        module.__file__ = self.file
        exec(compile(self.source, self.file, "exec"), module.__dict__)  # noqa: S102


class _Ordered:
    """Runs the tests of the mutated line first, fastest first; notes which failed."""

    def __init__(self, selected: list[str], report: Path) -> None:
        self.order = {name: number for number, name in enumerate(selected)}
        self.report = report
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items) -> None:
        last = len(self.order)
        items.sort(key=lambda item: self.order.get(item.nodeid, last))

    def pytest_collectreport(self, report) -> None:
        if report.failed:
            self._note("import")

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            self._note(report.nodeid)

    def _note(self, name: str) -> None:
        if not self.failed:
            self.failed = name
            self.report.write_text(json.dumps(name))


def _outcome(status: int, report: Path) -> Outcome:
    code = os.waitstatus_to_exitcode(status)
    by = json.loads(report.read_text()) if report.exists() else ""
    if code in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL):
        return Outcome("timed out", by)
    if code == 0:
        return Outcome("survived", "")
    if code < 0:
        return Outcome("killed", f"signal {-code}")
    if code in (1, 2):
        return Outcome("killed", by)
    log = report.with_suffix(".log").read_text(errors="replace")[-2000:]
    message = f"mutants: a trial ended with code {code}, which no test explains:\n{log}"
    raise SystemExit(message)
