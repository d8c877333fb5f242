"""A name means one thing over the whole tree."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("dynid", "dynid_ros", "dynid_plugins")


@cache
def modules() -> dict[str, ast.Module]:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(files) > 100
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in files}


def test_no_class_name_stands_twice() -> None:
    places = defaultdict(list)
    for file, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
