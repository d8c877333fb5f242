"""`make bench` and `make bench-full` together run every benchmark once."""

from __future__ import annotations

import re
from pathlib import Path

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
