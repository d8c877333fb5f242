"""Which of an area's own tests run which line, and their duration: measured once, and stored."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build/mutants"
QUIET = (
    "-x",
    "-q",
    "-m",
    "",  # thorough ones too
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--hypothesis-seed=0",
    "--no-header",
    # plugins are imported before the fork
    "-Wignore::pytest.PytestAssertRewriteWarning",
)


@dataclass
class OwnTests:
    """Tests of an area: seconds of processor time of each, and the lines that each runs.

    ``lines`` is by source file and line number; line 0 means any line of it.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)

    def of(self, source: str, lines: tuple[int, ...]) -> list[str]:
        """Tests that run the first measured line of ``lines``, fastest first.

        A line that runs on import may affect all tests that run any line of the file.
        """
        known = self.lines.get(source, {})
        tests = next((known[line] for line in lines if line in known), set())
        if "" in tests:
            tests = known[0]
        return sorted(tests, key=lambda test: (self.seconds[test], test))

    def in_files_of(self, tests: list[str]) -> list[str]:
        """All tests of the files of ``tests``: a fixture that they share runs a line only once."""
        files = {test.split("::")[0] for test in tests}
        return [test for test in self.seconds if test.split("::")[0] in files]


class Hypothesis:
    """Examples are drawn again, and not shrunk, because a failure is sufficient."""

    def pytest_sessionstart(self) -> None:
        """Load the settings after those of the conftest, before any test is imported."""
        settings.register_profile(
            "mutants",
            settings.get_profile("dynid"),
            database=None,
            print_blob=False,
            phases=(Phase.explicit, Phase.generate),
        )
        settings.load_profile("mutants")


class _Watch:
    def __init__(self, coverage) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.coverage.switch_context(item.nodeid)
        start = resource.getrusage(resource.RUSAGE_SELF)
        yield
        end = resource.getrusage(resource.RUSAGE_SELF)
        self.seconds[item.nodeid] = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
        self.coverage.switch_context("")


def own_tests(sources: list[Path], folder: Path, jobs: int) -> OwnTests:
    """Measure every test file below a folder in a process of its own, or use stored results."""
    content = b"".join(one.read_bytes() for one in sources)
    kept, missing = [], []
    for test_file in sorted(folder.rglob("test_*.py")):
        name = str(test_file.relative_to(ROOT))
        result = RESULTS / "tests" / (name.replace("/", "-") + ".json")
        key = hashlib.sha256(content + test_file.read_bytes()).hexdigest()
        kept.append(result)
        if not result.exists() or json.loads(result.read_text())["key"] != key:
            missing.append((name, key, result))
    _measure(missing, sources, jobs)
    found = OwnTests()
    for result in kept:
        _add(found, json.loads(result.read_text()))
    return found


def _add(found: OwnTests, kept: dict) -> None:
    found.seconds |= kept["seconds"]
    found.modules |= set(kept["modules"])
    for source, lines in kept["lines"].items():
        known = found.lines.setdefault(source, {})
        for line, tests in lines.items():
            known.setdefault(int(line), set()).update(tests)
            known.setdefault(0, set()).update(test for test in tests if test)


def _measure(waiting: list[tuple[str, str, Path]], sources: list[Path], jobs: int) -> None:
    running: dict[int, tuple[str, Path]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name, key, kept = waiting.pop()
            kept.parent.mkdir(parents=True, exist_ok=True)
            print(f"measuring {name}", flush=True)
            child = os.fork()
            if child == 0:
                code = 70
                try:
                    code = _measure_here(name, key, sources, kept)
                except BaseException:
                    traceback.print_exc()
                    sys.stderr.flush()
                os._exit(code)
            running[child] = name, kept
        child, status = os.wait()
        name, kept = running.pop(child)
        if os.waitstatus_to_exitcode(status) != 0:
            message = f"mutants: {name} fails before anything is mutated, see {kept}.log"
            raise SystemExit(message)


def _measure_here(name: str, key: str, sources: list[Path], kept: Path) -> int:
    log = os.open(f"{kept}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    data_file = str(kept.with_suffix(".coverage"))
    coverage = Coverage(
        data_file=data_file, config_file=False, include=[str(one) for one in sources]
    )
    watch = _Watch(coverage)
    coverage.start()
    code = pytest.main([*QUIET, str(ROOT / name)], plugins=[watch, Hypothesis()])
    coverage.stop()
    if code != 0:
        return int(code)
    data = coverage.get_data()
    lines = {}
    for source in data.measured_files():
        contexts = data.contexts_by_lineno(source)
        lines[str(Path(source).relative_to(ROOT))] = contexts
    modules = [one for one in sys.modules if not one.startswith(("dynid", "test", "support", "__"))]
    kept.write_text(
        json.dumps({"key": key, "seconds": watch.seconds, "lines": lines, "modules": modules})
    )
    return 0
