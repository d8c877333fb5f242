"""A graph of arithmetic with common subexpressions and constant folding.

Numbers are folded, zeros and ones are removed, equal expressions are one node. Nodes that no output
needs are not computed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Union

FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "fabs": abs,
    "sign": lambda x: float(x > 0) - float(x < 0),
    "positive": lambda x: max(x, 0.0),
    "negative": lambda x: min(x, 0.0),
}
"""Functions of one argument."""

Operand = Union["Expression", float]


@dataclass(frozen=True)
class Node:
    """One operation: ``number``, ``symbol``, ``add``, ``sub``, ``mul``, ``neg``, or a function.

    Attributes:
        operation: Which one.
        operands: Indices of other nodes, all before this one.
        text: Of a symbol.
        value: Of a number.
    """

    operation: str
    operands: tuple[int, ...] = ()
    text: str = ""
    value: float = 0.0


@dataclass
class Graph:
    """All nodes of some formulas, operands before their results."""

    nodes: list[Node] = field(default_factory=list)
    _known: dict[Node, int] = field(default_factory=dict)

    def number(self, value: float) -> Expression:
        """Return a number."""
        return self._node(Node("number", value=float(value) + 0.0))  # -0.0 becomes 0.0

    def symbol(self, text: str) -> Expression:
        """Return an input of the program, by its text."""
        return self._node(Node("symbol", text=text))

    def call(self, function: str, argument: Operand) -> Expression:
        """Return the call of one of ``FUNCTIONS``."""
        operand = self.expression(argument)
        if operand.value is not None:
            return self.number(FUNCTIONS[function](operand.value))
        return self._node(Node(function, (operand.index,)))

    def expression(self, operand: Operand) -> Expression:
        """Return an operand as an expression."""
        return operand if isinstance(operand, Expression) else self.number(operand)

    def needed(self, outputs: Iterable[Expression]) -> list[int]:
        """Return the indices of all nodes that outputs depend on, in an order to compute."""
        indices: set[int] = set()
        waiting = [output.index for output in outputs]
        while waiting:
            index = waiting.pop()
            if index not in indices:
                indices.add(index)
                waiting += self.nodes[index].operands
        return sorted(indices)

    def count(self, outputs: Iterable[Expression]) -> Counter[str]:
        """Return how often each operation is executed for some outputs."""
        counts = Counter(self.nodes[index].operation for index in self.needed(outputs))
        del counts["number"], counts["symbol"]
        return counts

    def _node(self, node: Node) -> Expression:
        index = self._known.setdefault(node, len(self.nodes))
        if index == len(self.nodes):
            self.nodes.append(node)
        return Expression(self, index)

    def add(self, left: Expression, right: Expression) -> Expression:
        """Return the sum."""
        if left.value is not None and right.value is not None:
            return self.number(left.value + right.value)
        if left.value is not None:
            left, right = right, left
        if right.value == 0.0:
            return left
        if right.value is not None and right.value < 0.0:
            return self.subtract(left, self.number(-right.value))
        if (inner := right.negated) is not None:
            return self.subtract(left, inner)
        if (inner := left.negated) is not None:
            return self.subtract(right, inner)
        return self._node(Node("add", tuple(sorted((left.index, right.index)))))

    def subtract(self, left: Expression, right: Expression) -> Expression:
        """Return the difference."""
        if left.index == right.index:
            return self.number(0.0)
        if (inner := right.negated) is not None:
            return self.add(left, inner)
        if right.value is not None and (left.value is not None or right.value <= 0.0):
            return self.add(left, self.number(-right.value))
        if left.value == 0.0:
            return self.negate(right)
        if (inner := left.negated) is not None:
            return self.negate(self.add(inner, right))
        reverse = Node("sub", (right.index, left.index))
        known = reverse in self._known
        difference = self._node(reverse if known else Node("sub", (left.index, right.index)))
        return self.negate(difference) if known else difference

    def negate(self, operand: Expression) -> Expression:
        """Return the operand with the opposite sign; two signs cancel."""
        if operand.value is not None:
            return self.number(-operand.value)
        inner = operand.negated
        return inner if inner is not None else self._node(Node("neg", (operand.index,)))

    def multiply(self, left: Expression, right: Expression) -> Expression:
        """Return the product; signs are moved out of it, numbers to its front."""
        if left.value is None and right.value is not None:
            left, right = right, left
        if left.value is not None:
            return self._scaled(left.value, right)
        for factor, other in ((left, right), (right, left)):
            if (inner := factor.negated) is not None:
                return self.negate(self.multiply(inner, other))
        return self._node(Node("mul", tuple(sorted((left.index, right.index)))))

    def _scaled(self, factor: float, operand: Expression) -> Expression:
        if operand.value is not None or factor == 0.0:
            return self.number(factor * (operand.value or 0.0))
        if factor < 0.0:
            return self.negate(self._scaled(-factor, operand))
        if factor == 1.0:
            return operand
        if (inner := operand.negated) is not None:
            return self.negate(self._scaled(factor, inner))
        node = operand.node
        if node.operation == "mul" and self.nodes[node.operands[0]].operation == "number":
            number, rest = node.operands
            return self._scaled(factor * self.nodes[number].value, Expression(self, rest))
        return self._node(Node("mul", (self.number(factor).index, operand.index)))


@dataclass(frozen=True, eq=False)
class Expression:
    """A node of a graph, with the operators of a number."""

    graph: Graph
    index: int

    @property
    def node(self) -> Node:
        """The operation."""
        return self.graph.nodes[self.index]

    @property
    def value(self) -> float | None:
        """Value of a number, or None where it is known only when the program runs."""
        return self.node.value if self.node.operation == "number" else None

    @property
    def negated(self) -> Expression | None:
        """The operand of a negation, or None."""
        node = self.node
        return Expression(self.graph, node.operands[0]) if node.operation == "neg" else None

    def __add__(self, other: Operand) -> Expression:
        return self.graph.add(self, self.graph.expression(other))

    def __sub__(self, other: Operand) -> Expression:
        return self.graph.subtract(self, self.graph.expression(other))

    def __mul__(self, other: Operand) -> Expression:
        return self.graph.multiply(self, self.graph.expression(other))

    def __neg__(self) -> Expression:
        return self.graph.negate(self)

    __radd__ = __add__
    __rmul__ = __mul__
