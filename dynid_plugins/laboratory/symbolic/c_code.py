"""C99 code of the minimal inverse dynamic model, which needs only ``math.h``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np

from dynid.errors import WriteError
from dynid_plugins.laboratory.symbolic.expressions import FUNCTIONS
from dynid_plugins.laboratory.symbolic.statements import WIDTH, Dialect, description, statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dynid.dynamics.base_parameters import BaseTable
    from dynid_plugins.laboratory.symbolic.expressions import Expression
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

Number = Literal["double", "float"]
"""Type of numbers in C; ``float`` is for microcontrollers without double precision."""

_MOTION = ("q", "dq", "ddq")


@dataclass(frozen=True)
class CFunction:
    """One function of the generated file.

    Attributes:
        name: its name in C.
        arguments: those of ``q``, ``dq``, ``ddq`` that it depends on.
        result: name and size of the array that it fills.
        text: description of the result, for the header.
        outputs: expressions by the text they are assigned to.
    """

    name: str
    arguments: tuple[str, ...]
    result: tuple[str, str]
    text: str
    outputs: Mapping[str, Expression]

    def signature(self, joints: str, number: str) -> str:
        """Return the declaration with a type of numbers, without its semicolon."""
        given = [f"const {number} {name}[{joints}]" for name in self.arguments]
        result, size = self.result
        return f"void {self.name}({', '.join([*given, f'{number} {result}[{size}]'])})"


def c_functions(formulas: Formulas, name: str) -> list[CFunction]:
    """Return the functions of a model, whose names begin with ``name``."""
    joints, columns = f"{name.upper()}_JOINTS", f"{name.upper()}_BASE_PARAMETERS"
    tau = ("tau", joints)
    rows: list[tuple[str, tuple[str, ...], tuple[str, str], Iterable[Expression], str]] = [
        (
            "inverse_dynamics",
            _MOTION,
            tau,
            formulas.torque,
            "tau = M(q) ddq + C(q, dq) dq + g(q) + friction and other joint terms",
        ),
        (
            "mass_matrix",
            ("q",),
            ("mass", f"{joints} * {joints}"),
            chain.from_iterable(formulas.mass_matrix),
            "M(q) row by row, rotor inertias included",
        ),
        ("gravity", ("q",), tau, formulas.gravity, "g(q), without springs"),
        (
            "friction",
            ("q", "dq"),
            tau,
            formulas.friction,
            "friction and other joint terms at constant velocity, without rotor inertia",
        ),
        (
            "regressor",
            _MOTION,
            ("w", f"{joints} * {columns}"),
            chain.from_iterable(formulas.regressor),
            "W(q, dq, ddq) row by row, in tau = W b for any base parameters b",
        ),
    ]
    functions = (
        CFunction(f"{name}_{ending}", arguments, result, text, _filled(result[0], values))
        for ending, arguments, result, values, text in rows
    )
    return [function for function in functions if function.outputs]


def _filled(array: str, values: Iterable[Expression]) -> dict[str, Expression]:
    return {f"{array}[{number}]": value for number, value in enumerate(values)}


def c_name(text: str) -> str:
    """Return ``text`` if C names can begin with it.

    Raises:
        WriteError: it is not such a name.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", text):
        raise WriteError(
            f"'{text}' cannot begin the names of C functions: --name must consist of lower-case "
            "letters, digits and underscores, and begin with a letter."
        )
    return text


def c_header(
    formulas: Formulas,
    name: str,
    table: BaseTable,
    provenance: Sequence[str] = (),
    *,
    number: Number = "double",
) -> str:
    """Return the header: description and provenance of the model, and its functions."""
    upper = name.upper()
    lines = [
        "/*",
        *(f" * {line}".rstrip() for line in description(formulas, table, provenance, ("/*", "*/"))),
        " */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        f"#define {upper}_JOINTS {len(formulas.mechanism.joints)}",
        f"#define {upper}_BASE_PARAMETERS {len(formulas.values)}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"extern const {number} {name}_base_parameters[{upper}_BASE_PARAMETERS];",
    ]
    for function in c_functions(formulas, name):
        signature = _wrapped(function.signature(f"{upper}_JOINTS", number))
        lines += ["", f"/* {function.text} */", f"{signature};"]
    return "\n".join([*lines, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def c_source(formulas: Formulas, name: str, table: BaseTable, *, number: Number = "double") -> str:
    """Return the source that goes with the header of the same type of numbers."""
    upper = name.upper()
    values = [
        f"  {literal(float(value), number)}, /* {k} {row.name} */"
        for k, (value, row) in enumerate(zip(formulas.values, table.rows, strict=True))
    ]
    lines = [
        f'#include "{name}.h"',
        "",
        "#include <math.h>",
        "",
        f"const {number} {name}_base_parameters[{upper}_BASE_PARAMETERS] = {{",
        *values,
        "};",
        "",
    ]
    for function in c_functions(formulas, name):
        body, _ = statements(formulas.graph, function.outputs, c_dialect(number))
        used = " ".join(body)
        unused = [
            argument for argument in function.arguments if not re.search(rf"\b{argument}\[", used)
        ]
        lines += [_wrapped(function.signature(f"{upper}_JOINTS", number)), "{"]
        lines += [f"  (void){argument};" for argument in unused]
        if re.search(r"\bb\[", used):
            lines.append(f"  const {number} *const b = {name}_base_parameters;")
        lines += [*(f"  {line}" for line in body), "}", ""]
    return "\n".join(lines[:-1]) + "\n"


def literal(value: float, number: Number) -> str:
    """Return a constant in C; one too small for ``float`` becomes zero."""
    if number == "double":
        return repr(value)
    text = str(np.float32(value))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def c_dialect(number: Number) -> Dialect:
    """Return the form of C with a type of numbers."""
    f = "" if number == "double" else "f"
    own = {
        "sign": f"({number})(({{0}} > 0.0{f}) - ({{0}} < 0.0{f}))",
        "positive": f"fmax{f}({{0}}, 0.0{f})",
        "negative": f"fmin{f}({{0}}, 0.0{f})",
    }
    return Dialect(
        literal=partial(literal, number=number),
        calls={name: f"{name}{f}({{0}})" for name in FUNCTIONS} | own,
        intermediate=f"const {number} {{0}} = {{1}};",
        result="{0} = {1};",
    )


def _wrapped(signature: str) -> str:
    if len(signature) <= WIDTH:
        return signature
    return signature.replace("(", "(\n  ").replace(", ", ",\n  ")
