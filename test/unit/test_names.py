"""A name means one thing over the whole tree."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
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


BARE = re.compile(
    r"_(BETTER|CHANCE|CLOSE|COARSEST|EARLIEST|ENOUGH|EQUAL|EXACT|FAR|FAST|FASTEST|FEW|"
    r"FEWEST|FINEST|FIRST|GOOD|HEAVIEST|HIGHEST|LARGE|LARGEST|LAST|LATEST|LEAST|LESS|LIGHTEST|"
    r"LITTLE|LONG|LONGEST|LOOK|LOWEST|MANY|MORE|MOST|MUCH|NARROW|NARROWEST|NEAR|NEAREST|"
    r"NEGLIGIBLE|NOTHING|OLDEST|OTHERS|PATIENCE|RARE|ROOM|SAME|SECOND|SETTLED|SHORT|"
    r"SHORTEST|SILENCE|SLOW|SLOWEST|SMALL|SMALLEST|STALE|STILL|SURE|TINY|TOGETHER|UNSEEN|"
    r"USUAL|WIDE|WIDEST|WORST)"
)
"""Names of constants that do not state their quantity; ``_FEWEST_SAMPLES_OF_A_FOLD`` does."""


def _constants(tree: ast.Module) -> Iterator[ast.Name]:
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield from (
                node
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )


def test_the_name_of_a_constant_states_its_quantity() -> None:
    assert [
        f"{file}:{name.lineno}: {name.id}"
        for file, tree in modules().items()
        for name in _constants(tree)
        if BARE.fullmatch(name.id)
    ] == []
