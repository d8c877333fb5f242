"""The formulas of the table of joint terms (cpp/core/src/term_kinds.cpp) as expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid_plugins.laboratory.symbolic.formula_text import FormulaReader
from dynid_plugins.laboratory.symbolic.newton_euler import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dynid.dynamics.joint_terms import JointTerm
    from dynid.dynamics.mechanism import Mechanism
    from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph

    Load = Callable[[int], Expression]


def term_column(
    graph: Graph, term: JointTerm, motion: tuple[Expression, Expression, Expression], load: Load
) -> Expression:
    """Return the torque per unit of a term's parameter, of a kind without memory.

    Args:
        graph: graph of the motion.
        term: term of a joint or motor.
        motion: position, velocity and acceleration of that joint or motor.
        load: returns the gravity torque of a joint.
    """
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
    torque = [graph.number(0.0)] * len(mechanism.joints)
    to_motor = np.asarray(np.linalg.inv(mechanism.coupling), dtype=np.float64)
    motors = State(*(_at_motors(graph, to_motor, m) for m in (state.q, state.dq, state.ddq)))
    for term, parameter in zip(mechanism.terms, parameters, strict=True):
        if parameter.value == 0.0:
            continue
        moved, k = motors if term.side == "motor" else state, term.joint
        motion = moved.q[k], moved.dq[k], moved.ddq[k]
        column = parameter * term_column(graph, term, motion, load)
        # q_motor = T^-1 q_joint, so that τ_joint = T^-T τ_motor
        shares = to_motor[k] if term.side == "motor" else np.eye(len(torque))[k]
        torque = [
            joint_torque + column * float(share)
            for joint_torque, share in zip(torque, shares, strict=True)
        ]
    return torque


def _at_motors(
    graph: Graph, to_motor: NDArray[np.float64], motion: Sequence[Expression]
) -> list[Expression]:
    moved = []
    for row in to_motor:
        total = graph.number(0.0)
        for factor, value in zip(row, motion, strict=True):
            total = total + value * float(factor)
        moved.append(total)
    return moved
