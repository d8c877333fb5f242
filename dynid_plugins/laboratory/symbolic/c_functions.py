"""How C99 writes numbers, functions and statements."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from dynid_plugins.laboratory.symbolic.expressions import FUNCTIONS
from dynid_plugins.laboratory.symbolic.statements import Dialect

Number = Literal["double", "float"]
"""Type of numbers in C; ``float`` is for microcontrollers without double precision."""

_OWN_FORMS = {
    "double": {
        "sign": "(double)(({0} > 0.0) - ({0} < 0.0))",
        "positive": "fmax({0}, 0.0)",
        "negative": "fmin({0}, 0.0)",
    },
    "float": {
        "sign": "(float)(({0} > 0.0f) - ({0} < 0.0f))",
        "positive": "fmaxf({0}, 0.0f)",
        "negative": "fminf({0}, 0.0f)",
    },
}


def literal(value: float, number: Number) -> str:
    """Return a constant in C; one too small for ``float`` becomes zero."""
    if number == "double":
        return repr(value)
    text = str(np.float32(value))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def c_dialect(number: Number) -> Dialect:
    """Return the form of C with a type of numbers."""
    ending = "" if number == "double" else "f"
    of_math_h = {name: f"{name}{ending}({{0}})" for name in FUNCTIONS}
    return Dialect(
        literal=partial(literal, number=number),
        calls={**of_math_h, **_OWN_FORMS[number]},
        intermediate=f"const {number} {{0}} = {{1}};",
        result="{0} = {1};",
    )
