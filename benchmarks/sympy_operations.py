"""Operations of generated code: dynid's formulas against the same recursion in sympy with cse.

Counted are additions, subtractions, products, and calls of sin and cos, of the rigid bodies'
inverse dynamics by base parameters; changes of sign are left out. sympy is no dependency of dynid:
install it elsewhere and name its folder in PYTHONPATH. ``--basic`` adds sympy's own optimisations
before its cse, which take minutes.

Run: PYTHONPATH=<its folder> python benchmarks/sympy_operations.py [--basic] [robot ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.kinematics import Kinematics
from dynid.profile import load_robot
from dynid_plugins.laboratory.symbolic.expressions import Graph
from dynid_plugins.laboratory.symbolic.joint_tree import joint_tree
from dynid_plugins.laboratory.symbolic.newton_euler import State, tree_motions, tree_torque

try:
    import sympy
except ImportError:
    sys.exit("sympy is not installed; PYTHONPATH=<its folder> finds it.")

_ROBOTS = ("scara_2r", "scara", "puma560", "ur10e")
_COUNTED = {"add", "sub", "mul", "sin", "cos"}


class SympyGraph:
    """Expressions of sympy in the recursion."""

    def number(self, value: float) -> Any:
        """Return a number, a whole one where it is one: sympy leaves 0.0 and 1.0 in products."""
        return sympy.Integer(int(value)) if value == int(value) else sympy.Float(value)

    def symbol(self, text: str) -> Any:
        """Return a symbol."""
        return sympy.Symbol(text)

    def call(self, function: str, argument: Any) -> Any:
        """Return sin or cos."""
        return getattr(sympy, function)(argument)


class Bodies:
    """The rigid bodies of a robot, and which of their parameters are base parameters."""

    def __init__(self, name: str) -> None:
        kinematics = Kinematics(load_robot(name).mechanism().without_terms())
        self.mechanism = kinematics.mechanism
        self.tree = joint_tree(kinematics)
        self.base = base_parameterization(self.mechanism)


def torque(bodies: Bodies, graph: Any) -> list[Any]:
    """Return the inverse dynamics of bodies in a graph."""
    tree, mechanism = bodies.tree, bodies.mechanism
    symbols = [graph.number(0.0)] * len(mechanism.parameters)
    for k, lead in enumerate(bodies.base.independent):
        symbols[lead] = graph.symbol(f"b{k}")
    motion = ([graph.symbol(f"{one}{k}") for k in range(len(tree))] for one in ("q", "dq", "ddq"))
    motions = tree_motions(graph, tree, State(*motion), mechanism.gravity)
    blocks = [symbols[start : start + 10] for start in range(0, len(symbols), 10)]
    return tree_torque(graph, tree, motions, blocks)


def own(bodies: Bodies) -> int:
    """Count the operations of dynid's formulas."""
    graph = Graph()
    counts = graph.count(torque(bodies, graph))
    return sum(count for operation, count in counts.items() if operation in _COUNTED)


def with_cse(*, optimised: bool) -> Callable[[Bodies], int]:
    """Return what counts the operations of sympy's formulas behind its cse."""

    def count(bodies: Bodies) -> int:
        outputs = [sympy.sympify(one) for one in torque(bodies, SympyGraph())]
        shared, reduced = sympy.cse(outputs, optimizations="basic" if optimised else None)
        return sum(map(operations, [*(one for _, one in shared), *reduced]))

    return count


def operations(expression: Any) -> int:
    """Count the operations of one of sympy's expressions."""
    total = 0
    for node in sympy.preorder_traversal(expression):
        if node.is_Add:
            total += len(node.args) - 1
        elif node.is_Mul:
            total += len([one for one in node.args if one != -1]) - 1
        elif node.is_Pow:
            total += abs(int(node.exp)) - 1
        elif node.is_Function:
            total += 1
    return total


def main() -> None:
    """Print a row for each robot and way."""
    ways = {"dynid": own, "sympy.cse": with_cse(optimised=False)}
    robots = [word for word in sys.argv[1:] if word != "--basic"]
    if len(robots) < len(sys.argv) - 1:
        ways["sympy.cse, basic"] = with_cse(optimised=True)
    print("robot       way                operations    CPU [s]")
    for name in robots or _ROBOTS:
        bodies = Bodies(name)
        for way, count in ways.items():
            begun = time.process_time()
            found = count(bodies)
            seconds = time.process_time() - begun
            print(f"{name:<10}  {way:<16}  {found:>11}  {seconds:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
