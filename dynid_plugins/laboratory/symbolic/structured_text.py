"""The minimal inverse dynamic model as a function block in structured text (IEC 61131-3)."""

from __future__ import annotations

import re
import textwrap
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import WriteError
from dynid_plugins.laboratory.symbolic.statements import WIDTH, Dialect, description, statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.base_parameters import BaseTable
    from dynid_plugins.laboratory.symbolic.c_code import Number
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

_TYPES = {"double": "LREAL", "float": "REAL"}
_CALLS = {
    "sin": "SIN({0})",
    "cos": "COS({0})",
    # the standard has no TANH, and a result outside of a number's range may stop a PLC
    "tanh": "(1.0 - 2.0 / (EXP(LIMIT(-40.0, 2.0 * ({0}), 40.0)) + 1.0))",
    "exp": "EXP(LIMIT(-80.0, {0}, 80.0))",
    "sqrt": "SQRT({0})",
    "fabs": "ABS({0})",
    "sign": "SEL({0} > 0.0, SEL({0} < 0.0, 0.0, -1.0), 1.0)",
    "positive": "MAX({0}, 0.0)",
    "negative": "MIN({0}, 0.0)",
}


def st_name(text: str) -> str:
    """Return ``text`` if the name of a function block can begin with it.

    Raises:
        WriteError: it is not such a name.
    """
    if not re.fullmatch(r"[a-z](_?[a-z0-9])*", text):
        raise WriteError(
            f"'{text}' cannot begin the name of a function block: --name must consist of "
            "lower-case letters, digits and single underscores between them, and begin with a "
            "letter."
        )
    return text


def function_block(
    formulas: Formulas,
    name: str,
    table: BaseTable,
    provenance: Sequence[str] = (),
    *,
    number: Number = "double",
) -> str:
    """Return the text of the function block ``NAME_inverse_dynamics``.

    Its inputs are ``q``, ``dq``, ``ddq``; its outputs ``tau``, and the parts ``gravity`` and
    ``friction`` of it. It has neither loops nor branches nor state.
    """
    results = {"tau": formulas.torque, "gravity": formulas.gravity, "friction": formulas.friction}
    outputs = {
        f"{place}[{k}]": value
        for place, values in results.items()
        for k, value in enumerate(values)
    }
    dialect = Dialect(partial(_literal, number=number), _CALLS, "{0} := {1};", "{0} := {1};")
    body, names = statements(formulas.graph, outputs, dialect)
    kind = _TYPES[number]
    array = f"ARRAY[0..{len(formulas.mechanism.joints) - 1}] OF {kind}"
    return "\n".join(
        [
            "(*",
            *(
                f"  {line}".rstrip()
                for line in description(formulas, table, provenance, ("(*", "*)"))
            ),
            "*)",
            f"FUNCTION_BLOCK {name}_inverse_dynamics",
            "VAR_INPUT",
            f"  q : {array}; (* positions [rad, m] *)",
            f"  dq : {array}; (* velocities [rad/s, m/s] *)",
            f"  ddq : {array}; (* accelerations [rad/s^2, m/s^2] *)",
            "END_VAR",
            "VAR_OUTPUT",
            f"  tau : {array}; (* torques of the motion, gravity and friction included [N m, N] *)",
            f"  gravity : {array}; (* of which gravity, without springs [N m, N] *)",
            f"  friction : {array}; (* of which friction and other joint terms [N m, N] *)",
            "END_VAR",
            "VAR",
            *_variables(formulas, names, number),
            "END_VAR",
            "",
            *(part for line in body for part in _folded(line)),
            "",
            "END_FUNCTION_BLOCK",
            "",
        ]
    )


def _variables(formulas: Formulas, names: Sequence[str], number: Number) -> list[str]:
    """Return the declarations of the base parameters and of all subexpressions."""
    kind, values = _TYPES[number], [_literal(float(value), number) for value in formulas.values]
    b = f"b : ARRAY[0..{len(values) - 1}] OF {kind} := [{', '.join(values)}];"
    return [*_folded(b), *(_folded(f"{', '.join(names)} : {kind};") if names else [])]


def _literal(value: float, number: Number) -> str:
    """Return a constant, which has a point also before an exponent."""
    text = repr(value) if number == "double" else str(np.float32(value))
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}{e.upper()}{exponent}"


def _folded(statement: str) -> list[str]:
    return textwrap.wrap(
        statement,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
