"""The formulas of the table of joint terms (cpp/core/src/term_kinds.cpp) as expressions."""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid_plugins.laboratory.symbolic.newton_euler import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynid.dynamics.joint_terms import JointTerm
    from dynid.dynamics.mechanism import Mechanism
    from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph

    Load = Callable[[int], Expression]

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


def term_column(
    graph: Graph, term: JointTerm, motion: tuple[Expression, Expression, Expression], load: Load
) -> Expression:
    """Return the torque per unit of a term's parameter, of a kind without memory."""
    q, v, a = motion

    def sign(velocity: Expression) -> Expression:
        if term.smoothing > 0.0:
            return graph.call("tanh", velocity * (1.0 / term.smoothing))
        return graph.call("sign", velocity)

    symbols = {
        "q": lambda: q,
        "v": lambda: v,
        "a": lambda: a,
        "load": lambda: load(term.joint),
        "scale": lambda: graph.number(term.scale),
    }
    return FormulaReader(graph, symbols, sign).read(term.traits.formula)


def term_torque(
    graph: Graph, mechanism: Mechanism, state: State, parameters: Sequence[Expression], load: Load
) -> list[Expression]:
    """Return the torque of the joint terms at every joint, in drive order.

    Args:
        graph: graph of the state.
        mechanism: its terms; those at motors act on the joints through its coupling.
        state: motion of the joints.
        parameters: one for each term.
        load: returns the gravity torque of a joint.
    """
    n = len(mechanism.joints)
    torque = np.full(n, graph.number(0.0), dtype=object)
    to_motor = np.linalg.inv(mechanism.coupling).astype(object)
    motors = State(*(list(to_motor @ np.array(m)) for m in (state.q, state.dq, state.ddq)))
    for term, parameter in zip(mechanism.terms, parameters, strict=True):
        if parameter.value == 0.0:
            continue
        moved, k = motors if term.side == "motor" else state, term.joint
        motion = moved.q[k], moved.dq[k], moved.ddq[k]
        column = parameter * term_column(graph, term, motion, load)
        # q_motor = T^-1 q_joint, so that τ_joint = T^-T τ_motor
        shares = to_motor[k] if term.side == "motor" else np.eye(n)[k].astype(object)
        torque = torque + shares * column
    return list(torque)
