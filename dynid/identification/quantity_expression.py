"""Expressions of named numbers, evaluated with their gradients."""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array


@dataclass(frozen=True)
class Dual:
    """A value of a function of m variables and its gradient.

    Arithmetic follows the chain rule (forward differentiation), so that gradients are exact.

    Attributes:
        value: NumPy's type, which allows a division by zero.
        gradient: (m,), or () where the value is a plain number.
    """

    value: np.float64
    gradient: Array

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.gradient)

    def __pos__(self) -> Dual:
        return self

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.gradient + other.gradient)

    def __sub__(self, other: Dual) -> Dual:
        return self + -other

    def __mul__(self, other: Dual) -> Dual:
        gradient = self.gradient * other.value + other.gradient * self.value
        return Dual(self.value * other.value, gradient)

    def __truediv__(self, other: Dual) -> Dual:
        value = self.value / other.value
        return Dual(value, (self.gradient - other.gradient * value) / other.value)

    def power(self, exponent: float) -> Dual:
        """Return the power with a constant exponent."""
        slope = exponent * self.value ** (exponent - 1)
        return Dual(self.value**exponent, self.gradient * slope)


Expression = Callable[[Mapping[str, Dual]], Dual]
"""Function from variables to the value, which is not finite if undefined."""

_OPERATORS: dict[type[ast.AST], Callable[..., Dual]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def parse_expression(text: str) -> tuple[Expression, tuple[str, ...]]:
    """Return the function of an expression, and the unique names of its variables.

    Raises:
        ValueError: it contains anything but numbers, names, ``+ - * / **``, and the functions sqrt,
            abs, acos, asin and atan2.
    """
    names: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)  # raises it as a SyntaxError
            parsed = ast.parse(text.strip(), mode="eval")
        expression = _build(parsed.body, names)
    except (SyntaxError, RecursionError, MemoryError, OverflowError):
        message = f"'{text}' cannot be read as an expression, such as ZZ1 + 0.5 * Ia1"
        raise ValueError(message) from None
    return expression, tuple(dict.fromkeys(names))


def _build(node: ast.expr, names: list[str]) -> Expression:
    """Return the function of a node; append its variables to ``names``."""
    if isinstance(node, ast.Name):
        name = node.id
        names.append(name)
        return lambda variables: variables[name]
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = Dual(np.float64(value), np.zeros(()))
        return lambda _: number
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _applied(_OPERATORS[type(node.op)], [node.operand], names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _applied(_OPERATORS[type(node.op)], [node.left, node.right], names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        exponent = _exponent(node.right)
        return _applied(lambda base: base.power(exponent), [node.left], names)
    if isinstance(node, ast.Call) and not node.keywords:
        return _applied(_function(node), node.args, names)
    raise ValueError(
        f"'{ast.unparse(node)}' is not allowed; use numbers, names, + - * / **, and the functions "
        f"{', '.join(_FUNCTIONS)}"
    )


def _applied(
    function: Callable[..., Dual], arguments: list[ast.expr], names: list[str]
) -> Expression:
    built = [_build(argument, names) for argument in arguments]
    return lambda variables: function(*(operand(variables) for operand in built))


def _exponent(node: ast.expr) -> float:
    expression, names = parse_expression(ast.unparse(node))
    if names:
        raise ValueError(f"the exponent '{ast.unparse(node)}' must be a number, without names")
    return float(expression({}).value)


def _function(call: ast.Call) -> Callable[..., Dual]:
    name = ast.unparse(call.func)
    if name not in _FUNCTIONS:
        raise ValueError(f"the function '{name}' does not exist; use {', '.join(_FUNCTIONS)}")
    count, function = _FUNCTIONS[name]
    if len(call.args) != count:
        message = f"{name} takes {count} value{'s' if count > 1 else ''}, got {len(call.args)}"
        raise ValueError(message)
    return function


def _acos(x: Dual) -> Dual:
    return Dual(np.arccos(x.value), -x.gradient / np.sqrt(1 - x.value**2))


def _asin(x: Dual) -> Dual:
    return Dual(np.arcsin(x.value), x.gradient / np.sqrt(1 - x.value**2))


def _atan2(y: Dual, x: Dual) -> Dual:
    gradient = (y.gradient * x.value - x.gradient * y.value) / (x.value**2 + y.value**2)
    return Dual(np.arctan2(y.value, x.value), gradient)


_FUNCTIONS: dict[str, tuple[int, Callable[..., Dual]]] = {
    "sqrt": (1, lambda x: x.power(0.5)),
    "abs": (1, lambda x: Dual(np.abs(x.value), x.gradient * np.sign(x.value))),
    "acos": (1, _acos),
    "asin": (1, _asin),
    "atan2": (2, _atan2),
}
