"""A few of many cases for every run; the others are thorough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet


def representatives(cases: list[str], number: int) -> list[ParameterSet]:
    """Return all cases as parameters, of which all but some evenly chosen ones are thorough."""
    kept = set(cases[:: -(-len(cases) // number)])
    marks = {True: (), False: (pytest.mark.thorough,)}
    return [pytest.param(case, marks=marks[case in kept]) for case in cases]
