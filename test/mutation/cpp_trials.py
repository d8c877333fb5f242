"""Trials of C++ mutants: one file is recompiled, and the tests of the mutated line are linked.

All files are in build/mutants/cpp, built once with counters for coverage. The mutated file is a
copy there; the tree is not changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutation.cpp_mutations import places
from mutation.own_tests import RESULTS, ROOT
from mutation.trial import Mutant, Outcome

BUILD = RESULTS / "cpp"
SOURCES = "cpp/core/src"
FUZZ = ("fuzz_control_law", "50000")  # as ctest runs it
CPU_FACTOR = 10
CPU_REST = 10
WALL_FACTOR = 100
MEMORY = 8 << 30


@dataclass(frozen=True)
class CppTests:
    """Executables of tests: seconds of processor time, and the counts of each line by file."""

    seconds: dict[str, float]
    counts: dict[str, dict[str, dict[int, int]]]

    def of(self, path: str, line: int) -> list[str]:
        """Tests that run a line, quickest first.

        The compiler merges some lines with the one before, and counts only that.
        """
        counts = {test: self.counts[test].get(path, {}) for test in self.seconds}
        counted = [one for of_test in counts.values() for one in of_test if one <= line]
        tests = [test for test in counts if counted and counts[test].get(max(counted), 0)]
        return sorted(tests, key=lambda test: self.seconds[test])


def run(
    count: int, seed: int, jobs: int, only: set[str] | None
) -> Iterator[tuple[Mutant, Outcome]]:
    """Try ``count`` mutants that compile; with ``only``, those of the same draw that it names."""
    _configure()
    tests = _own_tests()
    draw = _draw(seed, count)
    waiting = (one for one in draw if only is None or str(one) in only)
    wanted = count if only is None else len(only)
    with ThreadPoolExecutor(jobs) as pool:
        while wanted:
            batch = [one for _, one in zip(range(min(wanted, 4 * jobs)), waiting, strict=False)]
            if not batch:
                return
            outcomes = pool.map(lambda one: _try(one, tests), batch)
            for mutant, outcome in zip(batch, outcomes, strict=True):
                wanted -= outcome.word != "does not compile"
                yield mutant, outcome


def _draw(seed: int, count: int) -> Iterator[Mutant]:
    """Mutants without repetition, more than wanted: some will not compile."""
    texts = {path: path.read_text() for path in sorted((ROOT / SOURCES).glob("*.cpp"))}
    choices = [(path, number) for path in texts for number in range(len(places(texts[path])))]
    draw = random.Random(seed)
    for path, number in draw.sample(choices, min(4 * count, len(choices))):
        source = texts[path]
        place = places(source)[number]
        new = place.choices[int(draw.random() * len(place.choices))]
        mutated = source[: place.start] + new + source[place.end :]
        line = source.count("\n", 0, place.start) + 1
        lines = source.count("\n", place.start, place.end) + 1
        before = " ".join(source.splitlines()[line - 1 : line - 1 + lines]).strip()
        shown = " ".join(mutated.splitlines()[line - 1 : line + new.count("\n")]).strip()
        yield Mutant(str(path.relative_to(ROOT)), line, before, shown, mutated)


def _configure() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    options = [
        "-GNinja",
        "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG --coverage",
        "-DDYNID_BUILD_PYTHON=OFF",
        "-DDYNID_BUILD_TESTS=ON",
        f"-DPython3_EXECUTABLE={sys.executable}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_ament_cmake=ON",
    ]
    if not (BUILD / "build.ninja").exists():
        _tool("cmake", "-S", str(ROOT), "-B", str(BUILD), *options)
    _tool("cmake", "--build", str(BUILD), "--target", "dynid_tests", "--parallel", "2")


def _tool(name: str, *arguments: str) -> str:
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which(name, path=search)
    if program is None:
        message = f"mutants: {name} is not installed."
        raise SystemExit(message)
    environment = {**os.environ, "PATH": search}
    done = subprocess.run(
        [program, *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        message = f"mutants: {name} {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}"
        raise SystemExit(message)
    return done.stdout


def _own_tests() -> CppTests:
    names = sorted(path.stem for path in (ROOT / "test/cpp").glob("test_*.cpp"))
    seconds, counts = {}, {}
    for name in [*names, FUZZ[0]]:
        kept = BUILD / f"{name}.counts.json"
        key = hashlib.sha256((BUILD / name).read_bytes()).hexdigest()
        if not kept.exists() or json.loads(kept.read_text())["key"] != key:
            print(f"measuring {name}", flush=True)
            kept.write_text(json.dumps({"key": key, **_measured(name)}))
        content = json.loads(kept.read_text())
        seconds[name] = content["seconds"]
        counts[name] = {
            path: {int(line): count for line, count in of_file.items()}
            for path, of_file in content["counts"].items()
        }
    return CppTests(seconds, counts)


def _measured(name: str) -> dict:
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(_command(BUILD / name), capture_output=True, text=True, check=False)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        message = f"mutants: {name} fails before anything is mutated:\n{done.stdout}{done.stderr}"
        raise SystemExit(message)
    counts: dict[str, dict[int, int]] = {}
    gcov = shutil.which("gcov") or "gcov"
    with tempfile.TemporaryDirectory() as folder:
        for counters in BUILD.rglob("dynid_core.dir/**/*.gcda"):
            subprocess.run(
                [gcov, "--json-format", str(counters)], cwd=folder, capture_output=True, check=True
            )
        for found in Path(folder).glob("*.gcov.json.gz"):
            counted = json.loads(gzip.decompress(found.read_bytes()))
            for one in counted["files"]:
                # relative to the build where ccache made it so
                at = os.path.join(counted["current_working_directory"], one["file"])  # noqa: PTH118
                path = Path(os.path.normpath(at))
                if path.is_relative_to(ROOT / SOURCES):
                    known = counts.setdefault(str(path.relative_to(ROOT)), {})
                    for line in one["lines"]:
                        number = line["line_number"]
                        known[number] = max(known.get(number, 0), line["count"])
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return {"seconds": seconds, "counts": counts}


def _command(executable: Path) -> list[str]:
    return [str(executable), *(FUZZ[1:] if executable.name == FUZZ[0] else ())]


def _try(mutant: Mutant, tests: CppTests) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="dynid-mutant-", dir=BUILD) as name:
        folder = Path(name)
        compiled = _compile(mutant, folder)
        if compiled is None:
            return Outcome("does not compile", "")
        selected = tests.of(mutant.path, mutant.line)
        for test in selected:
            outcome = _run(_link(test, compiled, folder), tests.seconds[test])
            if outcome is not None:
                return outcome
    return Outcome("survived", "" if selected else "no test runs this line")


def _compile(mutant: Mutant, folder: Path) -> Path | None:
    """The object file, or None if it does not compile or is equal to the original."""
    database = json.loads((BUILD / "compile_commands.json").read_text())
    original = str(ROOT / mutant.path)
    command = shlex.split(next(one["command"] for one in database if one["file"] == original))
    start = command.index("-o")
    flags = [one for one in command[:start] if one not in ("--coverage", "-Werror")]
    flags = [one for one in flags if not one.endswith("ccache")]
    objects = []
    for number, text in enumerate((mutant.source, Path(original).read_text())):
        source = folder / str(number) / Path(original).name
        source.parent.mkdir()
        source.write_text(text)
        made = source.with_suffix(".o")
        # the same name in both, so that the objects differ only where the code does
        options = [
            "-w",
            "-g0",
            "-I",
            str(Path(original).parent),
            "-c",
            source.name,
            "-o",
            made.name,
        ]
        done = subprocess.run(
            [*flags, *options], cwd=source.parent, capture_output=True, check=False
        )
        if done.returncode:
            return None
        objects.append(made)
        if number == 0 and "pinocchio" in text:
            break  # slow to compile: equivalence is not checked
    if len(objects) == 2 and objects[0].read_bytes() == objects[1].read_bytes():
        return None
    return objects[0]


def _link(test: str, compiled: Path, folder: Path) -> Path:
    """The test, with the mutated object before the library that holds the original."""
    commands = _tool("ninja", "-C", str(BUILD), "-t", "commands", "-s", test).strip()
    words = shlex.split(commands.splitlines()[-1])
    words = [one for one in words if one not in (":", "&&") and not one.endswith("ccache")]
    made = folder / test
    words[words.index("-o") + 1] = str(made)
    position = next(i for i, one in enumerate(words) if one.endswith("libdynid_core.a"))
    words.insert(position, str(compiled))
    subprocess.run(words, cwd=BUILD, capture_output=True, check=True)
    return made


def _run(executable: Path, expected: float) -> Outcome | None:
    def limit() -> None:
        seconds = int(CPU_FACTOR * expected + CPU_REST)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {**os.environ, "GCOV_PREFIX": str(executable.parent / "counts")}
    try:
        done = subprocess.run(
            _command(executable),
            env=environment,
            preexec_fn=limit,
            capture_output=True,
            timeout=WALL_FACTOR * (expected + 3),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome("timed out", executable.name)
    if done.returncode in (-24, -9):  # SIGXCPU, SIGKILL
        return Outcome("timed out", executable.name)
    return Outcome("killed", executable.name) if done.returncode else None
