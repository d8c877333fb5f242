"""The minimal inverse dynamic model as formulas, with base parameters only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError
from dynid_plugins.laboratory.symbolic.expressions import Expression, Graph
from dynid_plugins.laboratory.symbolic.joint_tree import SymbolicJoint, joint_tree
from dynid_plugins.laboratory.symbolic.newton_euler import State, tree_motions, tree_torque
from dynid_plugins.laboratory.symbolic.term_formulas import term_torque

_ROUNDING = 1e-14
"""A base parameter smaller than this, relative to its summands, is zero."""
_PER_BODY = 10


@dataclass(frozen=True)
class Formulas:
    """Results of a model as expressions of symbols ``q[0]``, ``dq[0]``, ``ddq[0]``, ``b[0]``.

    Attributes:
        mechanism: the model.
        tree: its joints.
        base: its base parameters ``b``.
        values: (k,) of the base parameters.
        graph: all expressions.
        torque: n, by inverse dynamics.
        mass_matrix: n rows of n, rotors included; without rows in a semi-static model.
        gravity: n, without springs.
        friction: n, of the joint terms at constant velocity, springs included.
        regressor: n rows of k: torque per unit of each base parameter.
    """

    mechanism: Mechanism
    tree: tuple[SymbolicJoint, ...]
    base: BaseParameterization
    values: Array
    graph: Graph
    torque: list[Expression]
    mass_matrix: list[list[Expression]]
    gravity: list[Expression]
    friction: list[Expression]
    regressor: list[list[Expression]]


def minimal_model(mechanism: Mechanism) -> Formulas:
    """Return the formulas of a mechanism with its own parameters.

    The recursion is linear in the standard parameters, so that torque does not change when the
    base parameters replace the standard ones that lead them, and all others are zero. Gravity has
    base parameters of its own, because those of the whole model can combine a weight with an
    offset.

    Raises:
        MechanismError: the mechanism has closed chains, or terms with memory.
        EstimationError: the numerical rank of its regressor is unclear.
    """
    kinematics = Kinematics(mechanism.without_terms())
    tree = joint_tree(kinematics)
    _check_terms(mechanism)
    base = base_parameterization(mechanism)
    values = _base_values(base, mechanism.parameters)
    graph = Graph()
    symbols = [graph.number(0.0)] * len(mechanism.parameters)
    for k, lead in enumerate(base.independent):
        symbols[lead] = graph.symbol(f"b[{k}]") if values[k] else graph.number(0.0)
    bodies = mechanism.parameters[: mechanism.first_term]
    of_bodies = base_parameterization(kinematics.mechanism)
    weights = np.zeros(len(bodies))
    weights[of_bodies.independent] = _base_values(of_bodies, bodies)
    writer = _Writer(graph, mechanism, tree, [graph.number(float(weight)) for weight in weights])
    return Formulas(
        mechanism=mechanism,
        tree=tree,
        base=base,
        values=values,
        graph=graph,
        torque=writer.torque(symbols),
        mass_matrix=writer.mass_matrix(symbols),
        gravity=writer.gravity(),
        friction=writer.friction(mechanism.parameters[mechanism.first_term :]),
        regressor=writer.regressor(base),
    )


def _base_values(base: BaseParameterization, standard: Array) -> Array:
    """Return the base parameters (k,); those that are zero but for rounding become zero."""
    size = np.abs(base.regrouping) @ np.abs(standard)
    values = base.project(standard)
    return np.where(np.abs(values) > _ROUNDING * size, values, 0.0)


def operation_counts(formulas: Formulas) -> dict[str, Counter[str]]:
    """Return the operations of each result, and of inverse dynamics for a general robot.

    That is the same recursion for a robot with the same tree of joints, about their z axes, but
    with arbitrary lengths, angles and moments, and ten standard parameters for each body.
    """
    graph = formulas.graph
    return {
        "inverse dynamics": graph.count(formulas.torque),
        "mass matrix": graph.count(entry for row in formulas.mass_matrix for entry in row),
        "gravity": graph.count(formulas.gravity),
        "friction": graph.count(formulas.friction),
        "regressor": graph.count(entry for row in formulas.regressor for entry in row),
        "inverse dynamics, general robot": _general_count(formulas.mechanism, formulas.tree),
    }


def _general_count(mechanism: Mechanism, tree: Sequence[SymbolicJoint]) -> Counter[str]:
    random = np.random.default_rng(0)
    general = [
        replace(
            joint,
            axis=np.array([0.0, 0.0, 1.0]),
            rotation=np.linalg.qr(random.normal(size=(3, 3)))[0],
            origin=random.normal(size=3),
        )
        for joint in tree
    ]
    graph = Graph()
    symbols = [graph.symbol(f"p[{k}]") for k in range(len(mechanism.parameters))]
    writer = _Writer(graph, mechanism, general, symbols[: mechanism.first_term])
    return graph.count(writer.torque(symbols))


@dataclass(frozen=True)
class _Writer:
    """Formulas of one mechanism in one graph; ``weights`` are the bodies' parameters for gravity.

    Its methods take p parameters, the standard ones or those that replace them.
    """

    graph: Graph
    mechanism: Mechanism
    tree: Sequence[SymbolicJoint]
    weights: Sequence[Expression]

    def torque(self, parameters: Sequence[Expression]) -> list[Expression]:
        """Return the torque of inverse dynamics."""
        state = State(self._given("q"), self._given("dq"), self._given("ddq"))
        return self._sum(state, parameters, parameters, self.mechanism.gravity)

    def gravity(self) -> list[Expression]:
        """Return the torque that compensates gravity."""
        at_rest = self._from_rest(np.zeros(len(self.tree)))
        return self._bodies(at_rest, self.weights, self.mechanism.gravity)

    def friction(self, terms: Array) -> list[Expression]:
        """Return the torque of joint terms with these parameters, at constant velocity."""
        still = self._numbers(np.zeros(len(self.tree)))
        state = State(self._given("q"), self._given("dq"), still)
        return self._terms(state, self._numbers(terms))

    def mass_matrix(self, parameters: Sequence[Expression]) -> list[list[Expression]]:
        """Return M, whose columns are the torque of unit accelerations from rest."""
        if self.mechanism.semi_static:
            return []
        terms = [False] * len(self.weights) + [t.traits.inertial for t in self.mechanism.terms]
        rotors = [
            parameter if inertial else self.graph.number(0.0)
            for inertial, parameter in zip(terms, parameters, strict=True)
        ]
        columns = [
            self._sum(self._from_rest(unit), parameters, rotors, np.zeros(3))
            for unit in np.eye(len(self.tree))
        ]
        count = len(columns)
        return [[columns[max(i, j)][min(i, j)] for j in range(count)] for i in range(count)]

    def regressor(self, base: BaseParameterization) -> list[list[Expression]]:
        """Return the torque per unit of each base parameter, n rows."""
        count = len(self.weights) + len(self.mechanism.terms)
        units = np.eye(count)[base.independent]
        columns = [self.torque(self._numbers(unit)) for unit in units]
        return [list(row) for row in zip(*columns, strict=True)]

    def _sum(
        self,
        state: State,
        bodies: Sequence[Expression],
        terms: Sequence[Expression],
        gravity: Array,
    ) -> list[Expression]:
        """Return the torque of bodies and terms, whose parameters may come from different ones."""
        added = self._terms(state, terms[len(self.weights) :])
        rigid = self._bodies(state, bodies, gravity)
        return [torque + other for torque, other in zip(rigid, added, strict=True)]

    def _terms(self, state: State, parameters: Sequence[Expression]) -> list[Expression]:
        return term_torque(
            self.graph, self.mechanism, state, parameters, lambda joint: self.gravity()[joint]
        )

    def _bodies(
        self, state: State, parameters: Sequence[Expression], gravity: Array
    ) -> list[Expression]:
        if self.mechanism.semi_static:  # bodies have weight only
            state = self._from_rest(np.zeros(len(self.tree)))
        motions = tree_motions(self.graph, self.tree, state, gravity)
        starts = range(0, len(self.weights), _PER_BODY)
        blocks = [parameters[start : start + _PER_BODY] for start in starts]
        return tree_torque(self.graph, self.tree, motions, blocks)

    def _given(self, motion: str) -> list[Expression]:
        return [self.graph.symbol(f"{motion}[{k}]") for k in range(len(self.tree))]

    def _from_rest(self, acceleration: Array) -> State:
        still = self._numbers(np.zeros(len(self.tree)))
        return State(self._given("q"), still, self._numbers(acceleration))

    def _numbers(self, values: Array) -> list[Expression]:
        return [self.graph.number(float(value)) for value in values]


def _check_terms(mechanism: Mechanism) -> None:
    for term in mechanism.terms:
        if term.traits.has_memory:
            raise MechanismError(
                f"Joint '{mechanism.joints[term.joint]}' has a term '{term.kind}', whose torque "
                "depends on past motion, so it is not a formula of q, dq and ddq; "
                f"--without {term.kind} omits it from the code."
            )
