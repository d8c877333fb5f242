"""A name means one thing over the whole tree."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("dynid", "dynid_ros", "dynid_plugins")
CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)


@cache
def modules() -> dict[str, str]:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(files) > 100
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}


def test_no_class_name_stands_twice() -> None:
    places = defaultdict(list)
    for file, text in modules().items():
        for name in CLASS.findall(text):
            places[name].append(file)
    assert len(places) > 500
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


BARE = re.compile(
    r"^_(BETTER|CHANCE|CLOSE|COARSEST|EARLIEST|ENOUGH|EQUAL|EXACT|FAR|FAST|FASTEST|FEW|"
    r"FEWEST|FINEST|FIRST|GOOD|HEAVIEST|HIGHEST|LARGE|LARGEST|LAST|LATEST|LEAST|LESS|LIGHTEST|"
    r"LITTLE|LONG|LONGEST|LOOK|LOWEST|MANY|MORE|MOST|MUCH|NARROW|NARROWEST|NEAR|NEAREST|"
    r"NEGLIGIBLE|NOTHING|OLDEST|OTHERS|PATIENCE|RARE|ROOM|SAME|SECOND|SETTLED|SHORT|"
    r"SHORTEST|SILENCE|SLOW|SLOWEST|SMALL|SMALLEST|STALE|STILL|SURE|TINY|TOGETHER|UNSEEN|"
    r"USUAL|WIDE|WIDEST|WORST)(: [^=\n]*)? = ",
    re.MULTILINE,
)
"""Names of constants that do not state their quantity; ``_FEWEST_SAMPLES_OF_A_FOLD`` does."""


def test_the_name_of_a_constant_states_its_quantity() -> None:
    found = [(file, BARE.search(text)) for file, text in modules().items()]
    assert [(file, name[0]) for file, name in found if name] == []
