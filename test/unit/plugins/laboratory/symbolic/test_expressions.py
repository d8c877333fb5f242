"""Folding of expressions, for all combinations of known and unknown numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evaluated import evaluated

from dynid_plugins.laboratory.symbolic.c_code import c_dialect
from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph
from dynid_plugins.laboratory.symbolic.statements import statements

NUMBERS = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


@st.composite
def formulas(draw: st.DrawFn, depth: int = 5) -> tuple[str, ...]:
    """A formula as nested tuples of an operation and its operands."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        leaf = draw(st.one_of(NUMBERS, st.sampled_from(["x", "y"])))
        return ("leaf", leaf)
    operation = draw(st.sampled_from(["+", "-", "*", "neg"]))
    count = 1 if operation == "neg" else 2
    return (operation, *(draw(formulas(depth=depth - 1)) for _ in range(count)))


def built(graph: Graph, formula: tuple) -> Expression:
    operation, *operands = formula
    if operation == "leaf":
        leaf = operands[0]
        return graph.symbol(leaf) if isinstance(leaf, str) else graph.number(leaf)
    inner = [built(graph, operand) for operand in operands]
    if operation == "neg":
        return -inner[0]
    left, right = inner
    return {"+": left + right, "-": left - right, "*": left * right}[operation]


def computed(formula: tuple, symbols: dict[str, float]) -> float:
    operation, *operands = formula
    if operation == "leaf":
        return symbols.get(operands[0], operands[0])
    inner = [computed(operand, symbols) for operand in operands]
    if operation == "neg":
        return -inner[0]
    left, right = inner
    return {"+": left + right, "-": left - right, "*": left * right}[operation]


@given(formulas(), st.floats(-2, 2), st.floats(-2, 2))
def test_folding_does_not_change_a_value(formula: tuple, x: float, y: float) -> None:
    symbols = {"x": x, "y": y}
    expected = computed(formula, symbols)
    assert evaluated([built(Graph(), formula)], symbols)[0] == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )


@given(formulas(), st.floats(-2, 2), st.floats(-2, 2))
def test_statements_compute_what_the_expression_does(formula: tuple, x: float, y: float) -> None:
    graph = Graph()
    expression = built(graph, formula)
    lines = [
        line.removeprefix("const double ").removesuffix(";")
        for line in statements(graph, {"out": expression}, c_dialect("double"))[0]
    ]
    names: dict[str, float] = {"x": x, "y": y}
    exec("\n".join(lines), {}, names)  # noqa: S102  sums and products read the same in C
    expected = evaluated([expression], {"x": x, "y": y})[0]
    assert names["out"] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(formulas())
def test_no_operation_is_redundant(formula: tuple) -> None:
    expression = built(Graph(), formula)
    graph = expression.graph
    for index in graph.needed([expression]):
        node = graph.nodes[index]
        known = [
            graph.nodes[o].value for o in node.operands if graph.nodes[o].operation == "number"
        ]
        signs = [o for o in node.operands if graph.nodes[o].operation == "neg"]
        assert len(known) < len(node.operands) or not node.operands
        if node.operation == "mul":
            assert not {0.0, 1.0, -1.0} & set(known)
        if node.operation in ("add", "sub"):
            assert 0.0 not in known
        assert not signs or node.operation not in ("add", "sub", "mul", "neg")


def test_equal_expressions_are_one_node() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert (x + y).index == (y + x).index
    assert (x * y).index == (y * x).index
    assert (x - y).index == (-(y - x)).index
    assert graph.count([(x + y) * (y + x)]) == {"add": 1, "mul": 1}


def test_nodes_that_no_output_needs_are_not_computed() -> None:
    graph = Graph()
    x = graph.symbol("x")
    graph.call("sin", x)
    assert graph.count([x * x]) == {"mul": 1}


def test_functions_of_numbers_are_numbers() -> None:
    graph = Graph()
    assert graph.call("cos", 0.0).value == 1.0
    assert graph.call("sign", -3.0).value == -1.0
    assert graph.call("sin", 0.5).value == math.sin(0.5)
