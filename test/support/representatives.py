"""A few of many cases for every run; the others are thorough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet


def representatives(cases: list[Any], number: int) -> list[ParameterSet]:
    """Return all cases as parameters, of which all but evenly chosen ones are thorough.

    Args:
        cases: a value, or a tuple of the values of several parameters, for each case.
        number: how many are in every run, at most.
    """
    step = -(-len(cases) // number)
    parameters = []
    for index, case in enumerate(cases):
        marks = [pytest.mark.thorough] if index % step else []
        parameters.append(
            pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        )
    return parameters
