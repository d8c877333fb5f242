"""Benchmarks can be imported, and `make bench` and `make bench-full` together run each once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _listed(variable: str) -> list[str]:
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    found = re.search(rf"^{variable} := (.*)$", text, re.MULTILINE)
    assert found is not None
    return found[1].split()


def test_every_benchmark_is_in_exactly_one_list_of_the_makefile() -> None:
    scripts = (ROOT / "benchmarks").glob("bench_*.py")
    listed = _listed("BENCH") + _listed("BENCH_FULL")
    assert sorted(listed) == sorted(path.stem.removeprefix("bench_") for path in scripts)


def _import_failures(folder: Path) -> list[str]:
    paths = (str(ROOT), str(ROOT / "test"), os.environ.get("PYTHONPATH", ""))
    done = subprocess.run(
        [sys.executable, "-m", "support.imported_scripts", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.thorough
def test_every_script_can_be_imported() -> None:
    assert _import_failures(ROOT / "benchmarks") == []


def test_scripts_that_miss_a_name_or_a_module_of_ours_are_named(tmp_path: Path) -> None:
    scripts = {
        "a_name": "from dynid.arrays import no_such_name",
        "b_module": "import dynid.no_such_module",
        "c_sibling": "from a_name import other",
        "d_attribute": "import dynid.arrays\ndynid.arrays.no_such_name",
        "e_exit": "exit('for another reason')",
        "f_package": "import no_such_package",
        "g_says_so": "try:\n    import no_such_package\nexcept ImportError:\n    exit('no')",
        "h_support": "import support.no_such_module",
        "i_right": "from dynid.arrays import Array",
    }
    for name, text in scripts.items():
        (tmp_path / f"{name}.py").write_text(text)
    failures = _import_failures(tmp_path)
    assert [line[0] for line in failures] == ["a", "b", "c", "d", "e", "h"]
    assert "no_such_name" in failures[0]
