"""Expressions as the body of a C function: one statement per subexpression used repeatedly."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynid.dynamics.symbolic.expressions import Expression, Graph

_LONGEST = 36
"""Most characters of an expression that is written inline."""
_SUM, _PRODUCT, _SIGN, _WHOLE = range(4)
_OPERATORS = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT)}
_C_FUNCTIONS = {
    "sign": "(double)(({0} > 0.0) - ({0} < 0.0))",
    "positive": "fmax({0}, 0.0)",
    "negative": "fmin({0}, 0.0)",
}


class _Text(NamedTuple):
    text: str
    binding: int


def statements(graph: Graph, outputs: Mapping[str, Expression]) -> list[str]:
    """Return the statements that compute outputs, by the text they are assigned to."""
    order = graph.needed(outputs.values())
    uses = Counter(operand for index in order for operand in graph.nodes[index].operands)
    uses.update(output.index for output in outputs.values())
    texts: dict[int, _Text] = {}
    lines: list[str] = []
    for index in order:
        node = graph.nodes[index]
        if node.operation == "number":
            texts[index] = _Text(repr(node.value), _WHOLE if node.value >= 0 else _SIGN)
            continue
        if node.operation == "symbol":
            texts[index] = _Text(node.text, _WHOLE)
            continue
        text = _operation(node.operation, [texts[operand] for operand in node.operands])
        if uses[index] > 1 or len(text.text) > _LONGEST:
            name = f"t{len(lines)}"
            lines.append(f"const double {name} = {text.text};")
            text = _Text(name, _WHOLE)
        texts[index] = text
    return lines + [f"{place} = {texts[out.index].text};" for place, out in outputs.items()]


def _operation(operation: str, operands: Sequence[_Text]) -> _Text:
    if operation == "neg":
        return _Text(f"-{_within(operands[0], _WHOLE)}", _SIGN)
    if operation in _OPERATORS:
        sign, binding = _OPERATORS[operation]
        left, right = operands
        return _Text(f"{_within(left, binding)} {sign} {_within(right, binding + 1)}", binding)
    argument = operands[0].text
    if operation == "sign":
        argument = _within(operands[0], _WHOLE)
    form = _C_FUNCTIONS.get(operation, f"{operation}({{0}})")
    return _Text(form.format(argument), _WHOLE if operation != "sign" else _SIGN)


def _within(operand: _Text, binding: int) -> str:
    """Return an operand's text, in parentheses where it binds less than its context."""
    return operand.text if operand.binding >= binding else f"({operand.text})"
