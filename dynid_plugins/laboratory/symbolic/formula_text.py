"""Conversion of formulas in the table of joint terms to expressions of a graph."""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
_CALLS = {"sign": "sign", "exp": "exp", "sqrt": "sqrt", "abs": "fabs"}
_BOUNDS = {"max": "positive", "min": "negative"}  # with 0 as second argument


@dataclass(frozen=True)
class FormulaReader:
    """Converts formulas such as ``s(v) * exp(-(v / scale)^2)`` to expressions.

    They consist of ``+ - * / ^``, the functions sign, exp, sqrt, abs, max(x, 0), min(x, 0), s, and
    symbols; divisors are numbers and exponents whole numbers above 0.

    Attributes:
        graph: graph of the expressions.
        symbols: functions that make the expression of a name; called for names in a formula only.
        sign: the function s.
    """

    graph: Graph
    symbols: Mapping[str, Callable[[], Expression]]
    sign: Callable[[Expression], Expression]

    def read(self, text: str) -> Expression:
        """Return a formula as an expression; raises ValueError where it is invalid."""
        try:
            return self._of(ast.parse(text.replace("^", "**"), mode="eval").body)
        except (SyntaxError, ValueError, KeyError, ZeroDivisionError):
            message = f"'{text}' is not a formula of a joint term (see dynid/term_kinds.hpp)."
            raise ValueError(message) from None

    def _of(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=int() | float() as number):
                return self.graph.number(float(number))
            case ast.Name(id=name):
                return self.symbols[name]()
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._of(operand)
            case ast.BinOp():
                return self._operation(node)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
        raise ValueError(node)

    def _operation(self, node: ast.BinOp) -> Expression:
        left = self._of(node.left)
        match node:
            case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int() as power)) if power > 0:
                product = left
                for _ in range(power - 1):
                    product = product * left
                return product
            case ast.BinOp(op=ast.Div(), right=right):
                divisor = self._of(right).value
                if divisor is None:
                    raise ValueError(node)
                return left * (1.0 / divisor)
        result: Expression = _OPERATORS[type(node.op)](left, self._of(node.right))
        return result

    def _call(self, name: str, arguments: list[ast.expr]) -> Expression:
        first = self._of(arguments[0])
        match arguments[1:]:
            case [] if name == "s":
                return self.sign(first)
            case []:
                return self.graph.call(_CALLS[name], first)
            case [ast.Constant(value=0)]:
                return self.graph.call(_BOUNDS[name], first)
        raise ValueError(name)
