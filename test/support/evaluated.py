"""Expressions computed node by node, as generated code would."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from dynid_plugins.laboratory.symbolic.expressions import FUNCTIONS, Expression

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    **FUNCTIONS,
}


def evaluated(expressions: Sequence[Expression], symbols: Mapping[str, float]) -> np.ndarray:
    """Return the values of expressions of one graph."""
    graph = expressions[0].graph
    known: dict[int, float] = {}
    for index in graph.needed(expressions):
        node = graph.nodes[index]
        if node.operation == "number":
            known[index] = node.value
        elif node.operation == "symbol":
            known[index] = symbols[node.text]
        else:
            operands = (known[operand] for operand in node.operands)
            known[index] = OPERATIONS[node.operation](*operands)
    return np.array([known[expression.index] for expression in expressions])
