"""Trials: the error that is left when the data are changed as a hypothesis says."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.joint_terms import TermSettings, plain_terms
from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.diagnosis.projection import basis_of, beyond
from dynid.evaluation.hypotheses.refit import Data, Equations, Refit, friction_shapes, residual
from dynid.evaluation.hypotheses.relations import OF_SENSORS
from dynid.evaluation.hypotheses.samples import TrialSamples
from dynid.evaluation.hypotheses.state import Hypothesis, modified
from dynid.robot.robot import Robot

_OBLIQUE = (3.0, 5.0, -8.0)  # [m/s^2]
_RECENT = 4  # data of which the regressor is kept: most states change the torque alone
_THINNED = 3  # of coarse trials: every third instant
_KEPT = 0.25  # least share of the squared torque that a relation of a sensor leaves
FLOOR = 0.02
"""Relative torque error that counts as none: less is not worth a claim."""
# what is tried above these costs seconds, and errors of good real models are 0.02 to 0.1
DOUBTED = 0.07
"""Relative error of a joint above which exchanged channels and its own friction are tried."""
POOR = 0.15
"""Relative error of a joint above which values far from the present ones are tried."""


@dataclass(frozen=True, eq=False)
class RefitOutcome:
    """What a refit of a changed state leaves unexplained.

    Attributes:
        state: the state.
        refit: with friction of any shape.
        cost: sum of the logarithms of the joints' squared errors. It falls by log 4 if the error of
            a joint is halved.
        penalty: by which physically consistent parameters raise it; None: not known yet.
    """

    state: Hypothesis
    refit: Refit
    cost: float
    penalty: float | None = None

    @property
    def total(self) -> float:
        """Cost with physically consistent parameters, where they were tried."""
        return self.cost + (self.penalty or 0.0)


class Trial:
    """Samples of a robot, on which states are tried.

    Args:
        samples: of all recordings.
        mechanism: with the joint terms that hypotheses are compared with.
    """

    def __init__(
        self,
        samples: TrialSamples,
        mechanism: Mechanism,
        base: BaseParameterization | None = None,
    ) -> None:
        self.samples, self.mechanism = samples, mechanism
        # with an oblique gravity every first moment that has weight under any gravity is among them
        self.base = base or base_parameterization(mechanism.with_gravity(_OBLIQUE))
        self._recent: list[tuple[Hypothesis, Data]] = []

    @cached_property
    def coarse(self) -> Trial:
        """The same on every third instant, to choose what is worth a trial on all of them."""
        return Trial(self.samples.thinned(_THINNED), self.mechanism, self.base)

    @cached_property
    def present(self) -> RefitOutcome:
        """The outcome without any change."""
        return self.outcome(Hypothesis.unchanged(self.samples))

    def data(self, state: Hypothesis) -> Data:
        """Return the data that a state makes of the samples."""
        alike = next((pair for pair in self._recent if state.moves_like(pair[0])), None)
        data = modified(
            self.samples, self.mechanism, self.base, state, None if alike is None else alike[1]
        )
        others = [pair for pair in self._recent if pair is not alike]
        self._recent = [(state, data), *others][:_RECENT]
        return data

    def is_against_urdf(self, state: Hypothesis) -> bool:
        """Whether a state's torque has mostly the opposite sign of that of the URDF's masses."""
        data = self.data(state)
        products = []
        for expected, measured in beside_urdf(data, data.load):
            sizes = float(np.linalg.norm(expected) * np.linalg.norm(measured))
            products.append(float(expected @ measured) / max(sizes, 1e-300))
        return sum(products) < 0

    def equations(self, state: Hypothesis) -> Equations:
        """Return the equations of a state."""
        return Equations(self.data(state), self.samples.fold)

    def outcome(self, state: Hypothesis) -> RefitOutcome:
        """Refit a state."""
        equations = self.equations(state)
        refit = equations.refit()
        kind = state.relations[-1].kind if state.relations else ""
        if kind in OF_SENSORS:
            kept = equations.share_kept(refit.factors[-OF_SENSORS[kind] :])
            if np.any(kept < _KEPT):  # a function of the torque explains the torque, not the robot
                return RefitOutcome(state, refit, np.inf)
        paid = self._excluded_cost(state, refit) if state.excluded else 0.0
        return RefitOutcome(state, refit, cost(refit.held_out) + paid)

    def _excluded_cost(self, state: Hypothesis, refit: Refit) -> float:
        """Return by how much the cost is higher for instants that a state does not explain.

        Their errors have a variance of their own in the likelihood, so that what explains them too
        is preferred to what leaves them out.
        """
        data = self.data(state)
        left_out = self.samples.kept & ~self.samples.outside(state.excluded)[:, None]
        count, compared = left_out.sum(axis=0), data.kept.sum(axis=0)
        squared = np.sum(residual(data, refit) ** 2, axis=0, where=left_out)
        size = np.sum(data.torque**2, axis=0, where=data.kept) / np.maximum(compared, 1)
        inside = squared / np.maximum(count * size, 1e-300)
        share = count / np.maximum(count + compared, 1)
        gap = np.log(inside + FLOOR**2) - np.log(refit.held_out**2 + FLOOR**2)
        return float(np.nansum(share * np.maximum(gap, 0.0)))

    def judged(self, outcome: RefitOutcome) -> RefitOutcome:
        """Return an outcome with the penalty of physically consistent parameters.

        With those a torque of the wrong sign is expensive: friction would drive the joint.
        """
        if outcome.penalty is not None:
            return outcome
        equations = Equations(self.data(outcome.state), self.samples.fold, "uneven")
        plain = equations.refit(physical=True)
        if plain.consistent is None:
            return replace(outcome, penalty=np.inf)
        gap = cost(plain.consistent) - cost(plain.held_out)
        return replace(outcome, penalty=max(gap, 0.0))


def beside_urdf(data: Data, load: Array) -> Iterator[tuple[Array, Array]]:
    """Yield for each joint the torque of the URDF's masses and that measured, beyond friction.

    Args:
        data: of a state.
        load: (N, n) with which friction grows.
    """
    expected = data.mechanism.torque(*data.motion, data.mechanism.urdf_parameters)
    for joint in range(data.torque.shape[1]):
        kept = data.kept[:, joint]
        columns = np.column_stack([expected[kept, joint], data.torque[kept, joint]])
        shapes = friction_shapes(data.motion[1][kept, joint], load[kept, joint])
        left, measured = beyond(basis_of(shapes), columns).T
        yield left, measured


def hypothesis_mechanism(robot: Robot) -> Mechanism:
    """Return the mechanism with which hypotheses are tried.

    It has the profile's terms that depend on the present motion alone, and plain ones at each joint
    that lacks them: what is asked is whether any friction explains the torque, not which.
    """
    return _with_plain_terms(robot, robot.joints).mechanism()


def profile_mechanism(robot: Robot) -> Mechanism:
    """Return the mechanism with the profile's terms; those with memory as dry friction."""
    replaced = [term for term in robot.explicit_terms if not _depends_on_present_motion(term)]
    joints = {
        joint
        for term in replaced
        for joint in (robot.joints if term.joints == "all" else term.joints)
    }
    return _with_plain_terms(robot, joints).mechanism()


def friction_gain(trial: Trial, robot: Robot) -> Array:
    """Return by how much friction of any shape lowers each joint's cost, (n,); NaN: unknown.

    Args:
        trial: the data.
        robot: with the terms in question.
    """
    mechanism = profile_mechanism(robot)
    base, present = base_parameterization(mechanism), trial.present
    data = modified(trial.samples, mechanism, base, present.state)
    modelled = Equations(data, trial.samples.fold, "modelled").refit().held_out
    return np.asarray(np.log(modelled**2 + FLOOR**2) - np.log(present.refit.held_out**2 + FLOOR**2))


def _depends_on_present_motion(term: TermSettings) -> bool:
    return not (term.traits.has_memory or term.traits.scaled or term.traits.loaded)


def _with_plain_terms(robot: Robot, joints: Collection[str]) -> Robot:
    """Return the robot with terms of the present motion, and the plain ones that joints lack."""
    kept = [term for term in robot.explicit_terms if _depends_on_present_motion(term)]
    missing = []
    for term in plain_terms(robot.joints, robot.mechanism().prismatic):
        present = {
            joint
            for other in kept
            if other.kind == term.kind and other.side == "joint"
            for joint in (robot.joints if other.joints == "all" else other.joints)
        }
        members = robot.joints if term.joints == "all" else term.joints
        lacking = tuple(joint for joint in members if joint in joints and joint not in present)
        if lacking:
            missing.append(term.model_copy(update={"joints": lacking}))
    return robot.with_terms((*kept, *missing))


def advantage(better: RefitOutcome, worse: RefitOutcome) -> float:
    """Return how sure it is that an outcome is better: Student's t over blocks left out.

    Costs are compared block by block, so that what is special in one of them does not decide.
    """
    costs = [np.log(outcome.refit.blocks**2 + FLOOR**2) for outcome in (worse, better)]
    gains = np.nansum(costs[0] - costs[1], axis=1)
    deviation = float(gains.std(ddof=1))
    return float(gains.mean() * np.sqrt(len(gains)) / deviation) if deviation > 0 else 0.0


def cost(errors: Array) -> float:
    """Return the sum of the logarithms of squared relative errors (n,), NaN left out."""
    return float(np.nansum(np.log(errors**2 + FLOOR**2)))
