"""The formulas of cpp/core/src/joint_terms.cpp as expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.dynamics.symbolic.newton_euler import State
from dynid.dynamics.torque_parts import ROTOR_KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dynid.dynamics.joint_terms import JointTerm
    from dynid.dynamics.mechanism import Mechanism
    from dynid.dynamics.symbolic.expressions import Expression, Graph

    Load = Callable[[int], Expression]


@dataclass(frozen=True)
class _Input:
    """What the torque of a term can depend on, at its joint or motor."""

    graph: Graph
    term: JointTerm
    q: Expression
    v: Expression
    a: Expression
    load: Load

    def direction(self) -> Expression:
        if self.term.smoothing > 0.0:
            return self.graph.call("tanh", self.v * (1.0 / self.term.smoothing))
        return self.graph.call("sign", self.v)

    def stribeck(self) -> Expression:
        ratio = self.v * (1.0 / self.term.scale)
        return self.direction() * self.graph.call("exp", -(ratio * ratio))

    def root(self) -> Expression:
        size = self.graph.call("sqrt", self.graph.call("fabs", self.v))
        return self.graph.call("sign", self.v) * size

    def loaded(self) -> Expression:
        return self.direction() * self.graph.call("fabs", self.load(self.term.joint))


TERM_FORMULAS: dict[str, Callable[[_Input], Expression]] = {
    "viscous": lambda at: at.v,
    "coulomb": _Input.direction,
    "offset": lambda at: at.graph.number(1.0),
    ROTOR_KIND: lambda at: at.a,
    "spring_stiffness": lambda at: at.q,
    "spring_preload": lambda at: at.graph.number(1.0),
    "stribeck": _Input.stribeck,
    "viscous_cubic": lambda at: at.v * at.v * at.v,
    "viscous_root": _Input.root,
    "viscous_positive": lambda at: at.graph.call("positive", at.v),
    "viscous_negative": lambda at: at.graph.call("negative", at.v),
    "coulomb_positive": lambda at: at.graph.call("positive", at.direction()),
    "coulomb_negative": lambda at: at.graph.call("negative", at.direction()),
    "coulomb_load": _Input.loaded,
}
"""Torque per unit of the parameter, of all kinds without memory."""


def term_torque(
    graph: Graph,
    mechanism: Mechanism,
    state: State,
    parameters: Sequence[Expression],
    load: Load,
) -> list[Expression]:
    """Return the torque of the joint terms at every joint, in drive order.

    Args:
        graph: That the state is part of.
        mechanism: Has the terms; those at motors reach the joints through its coupling.
        state: Motion of the joints.
        parameters: One for each term.
        load: Torque that gravity asks of a joint.
    """
    torque = [graph.number(0.0)] * len(mechanism.joints)
    to_motor = np.asarray(np.linalg.inv(mechanism.coupling), dtype=np.float64)
    motors = State(*(_at_motors(graph, to_motor, m) for m in (state.q, state.dq, state.ddq)))
    for term, parameter in zip(mechanism.terms, parameters, strict=True):
        if parameter.value == 0.0:
            continue
        moved, k = motors if term.side == "motor" else state, term.joint
        at = _Input(graph, term, moved.q[k], moved.dq[k], moved.ddq[k], load)
        column = parameter * TERM_FORMULAS[term.kind](at)
        # q_motor = T^-1 q_joint, so that τ_joint = T^-T τ_motor
        shares = to_motor[k] if term.side == "motor" else np.eye(len(torque))[k]
        torque = [one + column * float(share) for one, share in zip(torque, shares, strict=True)]
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
