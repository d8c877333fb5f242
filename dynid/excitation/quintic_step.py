"""The quintic step: from 0 to 1 with neither velocity nor acceleration at either end."""

from __future__ import annotations

from math import sqrt

from dynid.arrays import Array

STEP_PEAKS = (1.0, 15 / 8, 10 / sqrt(3), 60.0, 360.0)
"""Largest sizes of the step and of its derivatives to the fourth on [0, 1]."""


def quintic_step(x: Array) -> tuple[Array, Array, Array]:
    """Return 10 x^3 - 15 x^4 + 6 x^5 and its first two derivatives, for x between 0 and 1."""
    return (
        x**3 * (10 + x * (6 * x - 15)),
        30 * x**2 * (1 - x) ** 2,
        60 * x * (1 - x) * (1 - 2 * x),
    )
