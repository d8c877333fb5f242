"""What generated code of any language has: the model's description, and its statements."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dynid import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.base_parameters import BaseTable
    from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

WIDTH = 100
"""Characters per line."""

_LONGEST_INLINE_TEXT = 36
"""Most characters of an expression that is written inline."""
_SUM, _PRODUCT, _SIGN, _WHOLE = range(4)
_OPERATORS = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT)}


@dataclass(frozen=True)
class Dialect:
    """How a language writes what the arithmetic operators do not say.

    Attributes:
        literal: text of a number.
        calls: text of each of ``expressions.FUNCTIONS``, with ``{0}`` for its argument.
        intermediate: statement that names (``{0}``) the value of a subexpression (``{1}``).
        result: statement that assigns to a place (``{0}``) a value (``{1}``).
    """

    literal: Callable[[float], str]
    calls: Mapping[str, str]
    intermediate: str
    result: str


class _Text(NamedTuple):
    text: str
    binding: int


def statements(
    graph: Graph, outputs: Mapping[str, Expression], dialect: Dialect
) -> tuple[list[str], list[str]]:
    """Return the statements that compute outputs, by the text they are assigned to.

    Each subexpression that is used repeatedly has a statement of its own.

    Returns:
        the statements in their order, and the names of the subexpressions, ``t0`` and on.
    """
    order = graph.needed(outputs.values())
    uses = Counter(operand for index in order for operand in graph.nodes[index].operands)
    uses.update(output.index for output in outputs.values())
    texts: dict[int, _Text] = {}
    lines: list[str] = []
    names: list[str] = []
    for index in order:
        node = graph.nodes[index]
        if node.operation == "number":
            binding = _WHOLE if node.value >= 0 else _SIGN
            texts[index] = _Text(dialect.literal(node.value), binding)
            continue
        if node.operation == "symbol":
            texts[index] = _Text(node.text, _WHOLE)
            continue
        text = _operation(node.operation, [texts[operand] for operand in node.operands], dialect)
        if uses[index] > 1 or len(text.text) > _LONGEST_INLINE_TEXT:
            names.append(f"t{len(names)}")
            lines.append(dialect.intermediate.format(names[-1], text.text))
            text = _Text(names[-1], _WHOLE)
        texts[index] = text
    lines += [
        dialect.result.format(place, texts[output.index].text) for place, output in outputs.items()
    ]
    return lines, names


def _operation(operation: str, operands: Sequence[_Text], dialect: Dialect) -> _Text:
    if operation == "neg":
        return _Text(f"-{_within(operands[0], _WHOLE)}", _SIGN)
    if operation in _OPERATORS:
        sign, binding = _OPERATORS[operation]
        left, right = operands
        return _Text(f"{_within(left, binding)} {sign} {_within(right, binding + 1)}", binding)
    argument = operands[0].text
    if operation == "sign":  # beside operators of comparison
        argument = _within(operands[0], _WHOLE)
    text = dialect.calls[operation].format(argument)
    return _Text(text, _WHOLE if operation != "sign" else _SIGN)


def _within(operand: _Text, binding: int) -> str:
    """Return an operand's text, in parentheses where it binds less than its context."""
    return operand.text if operand.binding >= binding else f"({operand.text})"


def description(
    formulas: Formulas, table: BaseTable, provenance: Sequence[str], marks: tuple[str, str]
) -> list[str]:
    """Return the lines of a comment: robot, provenance, joints, and base parameters ``b``.

    They have none of the ``marks`` with which comments begin and end.
    """
    mechanism = formulas.mechanism
    joints = [
        f"  {number} {joint} [{'m, N' if slides else 'rad, N m'}]"
        for number, (joint, slides) in enumerate(
            zip(mechanism.joints, mechanism.prismatic, strict=True)
        )
    ]
    gravity = ", ".join(f"{value:g}" for value in mechanism.gravity)
    lines = [
        f"Minimal inverse dynamic model of {table.robot}, by dynid {_core.version}.",
        f"Values: {table.origin}",
        *provenance,
        "",
        "SI units, at the joints. Joints, in the order of all arrays:",
        *joints,
        f"Gravity [m/s^2] in the frame of the root link: {gravity}",
        "",
        "Base parameters b, with the standard parameters regrouped in each (R):",
        *(
            f"  b[{k}] {row.name} [{row.unit}] = {row.relation()}"
            for k, row in enumerate(table.rows)
        ),
    ]
    for mark in reversed(marks):
        lines = [line.replace(mark, " ".join(mark)) for line in lines]
    folded = [textwrap.wrap(line, WIDTH - 3, subsequent_indent=" " * 6) for line in lines]
    return [part for parts in folded for part in (parts or [""])]
