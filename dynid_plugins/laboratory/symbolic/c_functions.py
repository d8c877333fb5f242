"""Expressions as the body of a C function: one statement per subexpression used repeatedly."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph

Number = Literal["double", "float"]
"""Type of numbers in C; ``float`` is for microcontrollers without double precision."""

_LONGEST_INLINE_TEXT = 36
"""Most characters of an expression that is written inline."""
_SUM, _PRODUCT, _SIGN, _WHOLE = range(4)
_OPERATORS = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT)}
_C_FUNCTIONS = {
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


class _Text(NamedTuple):
    text: str
    binding: int


def literal(value: float, number: Number) -> str:
    """Return a constant in C; one too small for ``float`` becomes zero."""
    if number == "double":
        return repr(value)
    text = str(np.float32(value))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def statements(
    graph: Graph, outputs: Mapping[str, Expression], number: Number = "double"
) -> list[str]:
    """Return the statements that compute outputs, by the text they are assigned to."""
    order = graph.needed(outputs.values())
    uses = Counter(operand for index in order for operand in graph.nodes[index].operands)
    uses.update(output.index for output in outputs.values())
    texts: dict[int, _Text] = {}
    lines: list[str] = []
    for index in order:
        node = graph.nodes[index]
        if node.operation == "number":
            texts[index] = _Text(literal(node.value, number), _WHOLE if node.value >= 0 else _SIGN)
            continue
        if node.operation == "symbol":
            texts[index] = _Text(node.text, _WHOLE)
            continue
        text = _operation(node.operation, [texts[operand] for operand in node.operands], number)
        if uses[index] > 1 or len(text.text) > _LONGEST_INLINE_TEXT:
            name = f"t{len(lines)}"
            lines.append(f"const {number} {name} = {text.text};")
            text = _Text(name, _WHOLE)
        texts[index] = text
    return lines + [f"{place} = {texts[out.index].text};" for place, out in outputs.items()]


def _operation(operation: str, operands: Sequence[_Text], number: Number) -> _Text:
    if operation == "neg":
        return _Text(f"-{_within(operands[0], _WHOLE)}", _SIGN)
    if operation in _OPERATORS:
        sign, binding = _OPERATORS[operation]
        left, right = operands
        return _Text(f"{_within(left, binding)} {sign} {_within(right, binding + 1)}", binding)
    argument = operands[0].text
    if operation == "sign":
        argument = _within(operands[0], _WHOLE)
    plain = operation if number == "double" else f"{operation}f"
    form = _C_FUNCTIONS[number].get(operation, f"{plain}({{0}})")
    return _Text(form.format(argument), _WHOLE if operation != "sign" else _SIGN)


def _within(operand: _Text, binding: int) -> str:
    """Return an operand's text, in parentheses where it binds less than its context."""
    return operand.text if operand.binding >= binding else f"({operand.text})"
