"""Specification of an excitation, and the optimisation problem that follows from it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings, term_kind
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import centre_of
from dynid.excitation.design.information import Information, Objective
from dynid.excitation.design.interior_point import Barrier, Descent
from dynid.excitation.design.series_space import (
    MotionBounds,
    PredictedTorqueLimit,
    SeriesSpace,
    StateLimit,
    WorkspaceLimit,
)
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Motion
from dynid.excitation.settings import FourierSettings
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.limits import JointLimits
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.robot.urdf_profile import position_doubts

_PER_CYCLE = 16
"""Samples per period of the highest harmonic, at which information and states are evaluated."""

_POSES = 2_000  # random ones, tried as a start
_SLACK_OF_A_START = 0.05  # slack at which a pose is accepted as a start
_LEAST_SLACK = 0.005  # least slack, if no pose has more
_FIRST_SHARE_OF_LIMITS = 0.3  # share of the distance to its limits that a random motion starts with
_SMOOTHING = 0.05
"""Share of a joint's velocity limit over which its sign is smoothed, for nonzero derivatives."""
_SLOWEST_SPEED = 0.05  # [rad/s or m/s] the same for joints without a limit


@dataclass(frozen=True)
class ExcitationSpec:
    """Specification of an excitation.

    Attributes:
        settings: base frequency, harmonics, periods, margin, centre and span; coefficients are
            ignored.
        objective: condition number (all parameters about equally accurate), determinant (smallest
            overall uncertainty), or both.
        scaled: rows are weighted by the drives' noise and columns scaled to unit norm; otherwise
            the regressor is used without scaling.
        from_centre: the motion starts and ends at the centre; otherwise the optimiser chooses.
    """

    settings: FourierSettings
    objective: Objective = "both"
    scaled: bool = True
    from_centre: bool = False


@dataclass(frozen=True, eq=False)
class Design:
    """Optimisation problem: a robot and the specification of its excitation.

    Attributes:
        mechanism: predicts information and torque.
        information: the objective.
        settings: of the specification.
        centre: of the profile's excitation, or the middle of the position limits (n,).
        bounds: limits of the joints that the motion may use.
        workspace: constraints on the robot's bodies and tool.
        state_limits: torque, and the workspace where there is one.
        from_centre: the motion starts and ends at its centre.
    """

    mechanism: Mechanism
    information: Information
    settings: FourierSettings
    centre: Array
    bounds: JointLimits
    workspace: Workspace
    state_limits: tuple[StateLimit, ...]
    from_centre: bool

    def descent(self, pose: Array) -> Descent:
        """Return the optimisation problem over all series about a pose (n,)."""
        settings = self.settings
        space = SeriesSpace(pose, settings.base_frequency, settings.harmonics, self.from_centre)
        basis = space.basis(_PER_CYCLE * settings.harmonics)
        bounds = MotionBounds(space, self.bounds)
        barrier = Barrier(space, basis, bounds, self.state_limits)
        return Descent(self.information, barrier, basis)

    def pose(self, random: np.random.Generator, *, elsewhere: bool) -> Array:
        """Return a pose (n,) within all limits: the centre, or a random one.

        Args:
            random: source of poses.
            elsewhere: prefer a random pose to the centre, unless the motion starts there.

        Raises:
            ExcitationError: no such pose was found.
        """
        low, high = self.bounds[:2]
        choices = [self.centre]
        if not self.from_centre:
            others = list(random.uniform(low, high, (_POSES, len(low))))
            choices = [*others, *choices] if elsewhere else [*choices, *others]
        best, room = self.centre, -np.inf
        for pose in choices:
            slack = self._room(pose)
            if slack > room:
                best, room = pose, slack
            if room > _SLACK_OF_A_START:
                break
        if room > _LEAST_SLACK:
            return np.asarray(best)
        raise ExcitationError(
            "excitation: the robot cannot rest at "
            f"{'its centre' if self.from_centre else f'any of {_POSES} poses'} within its limits "
            "on position, torque and workspace; widen these, or choose another centre."
        )

    def begin(self, descent: Descent, random: np.random.Generator) -> Array:
        """Return random coordinates (n, d) within all limits."""
        space, barrier = descent.barrier.space, descent.barrier
        y = random.standard_normal((len(space.pose), space.dimension))
        # scale each joint to its own bounds, then all joints together to the other limits
        slack = barrier.bounds.slack(np.zeros_like(y))
        change = slack - barrier.bounds.slack(y)
        y *= _FIRST_SHARE_OF_LIMITS / np.max(change / slack, axis=(1, 2))[:, np.newaxis]
        least = min(_SLACK_OF_A_START, barrier.smallest_slack(np.zeros_like(y))) / 2
        while barrier.smallest_slack(y) < least:
            y *= 0.8
        return y

    def condition_number(self, excitation: FourierExcitation) -> float:
        """Return the condition number of an excitation's base regressor, scaled as specified."""
        samples = _PER_CYCLE * self.settings.harmonics
        time = np.arange(samples) / (samples * excitation.base_frequency)
        return self.information.condition_number(excitation.evaluate(time))

    def _room(self, pose: Array) -> float:
        """Return the smallest slack of a robot at rest at a pose (n,)."""
        low, high = self.bounds[:2]
        inside = float(np.min(np.minimum(pose - low, high - pose) / ((high - low) / 2)))
        still = np.zeros((1, len(pose)))
        resting = Motion(pose[np.newaxis], still, still)
        states = (limit.slack(resting).min() for limit in self.state_limits)
        return float(min(inside, *states, np.inf))


def make_design(model: Model, spec: ExcitationSpec, torque_noise: Array) -> Design:
    """Build the optimisation problem of a specification for a robot.

    Raises:
        ConfigurationError: nothing bounds the motion, or settings and joints do not match.
        MechanismError: profile and URDF do not match.
        EstimationError: there are no base parameters.
    """
    robot = model.robot
    mechanism = design_model(model)
    joints = len(robot.joints)
    information = Information(
        mechanism,
        base_parameterization(mechanism).independent,
        1 / torque_noise if spec.scaled else np.ones(joints),
        scaled=spec.scaled,
        objective=spec.objective,
    )
    limits: list[StateLimit] = []
    centre = centre_of(spec.settings, robot.limits, joints)
    bounds = _bounds(robot, spec.settings, centre)
    if robot.limits.torque_max is not None:
        limits.append(PredictedTorqueLimit(mechanism, bounds.torque))
    workspace = Workspace(robot, mechanism)
    if workspace.names:
        limits.append(WorkspaceLimit(workspace))
    return Design(
        mechanism=mechanism,
        information=information,
        settings=spec.settings,
        centre=centre,
        bounds=bounds,
        workspace=workspace,
        state_limits=tuple(limits),
        from_centre=spec.from_centre,
    )


def _bounds(robot: Robot, settings: FourierSettings, centre: Array) -> JointLimits:
    bounds = robot.limits.of_joints(len(robot.joints)).within(settings.margin)
    span = per_joint(settings.span or (np.inf,), len(robot.joints), "span")
    low, high = np.maximum(bounds.low, centre - span), np.minimum(bounds.high, centre + span)
    if not np.all(np.isfinite(low)) or not np.all(low < high):
        raise ConfigurationError(
            f"profile '{robot.name}': an excitation needs limits.position, or excitation.centre "
            "and span within them, as the allowed range of the joints"
            + "".join(f"; {doubt}" for doubt in position_doubts(robot))
            + "."
        )
    return bounds._replace(low=low, high=high)


def design_model(model: Model) -> Mechanism:
    """Return the mechanism that predicts information and torque.

    It has the bodies of ``model``, its viscous friction, offsets, rotor inertias and springs. Dry
    friction is replaced by smooth Coulomb friction: presliding friction has memory, and the shapes
    of other terms (Stribeck, roots, cubes) are excited by any motion that excites these.

    Raises:
        MechanismError: profile and URDF do not match.
    """
    robot, given = model.robot, model.mechanism
    terms = tuple(
        term.model_copy(update={"joints": (joint,), "smoothing": smoothing})
        for term, joint, smoothing in _smooth_terms(robot)
    )
    mechanism = robot.with_terms(terms).mechanism()
    sizes: dict[tuple[str, int, str], float] = defaultdict(float)
    values = given.parameters[given.first_term :]
    for term, value in zip(given.terms, values.tolist(), strict=True):
        # load-dependent friction has no constant size: it is left out of the torque
        if not term.traits.loaded:
            sizes[term.traits.design, term.joint, term.side] += value
    term_values = [sizes[term.kind, term.joint, term.side] for term in mechanism.terms]
    return mechanism.with_parameters(np.append(given.parameters[: given.first_term], term_values))


def _smooth_terms(robot: Robot) -> list[tuple[TermSettings, str, float]]:
    """Return kind and side of each term, its joint, and its smoothing, without duplicates."""
    actuated = len(robot.joints)
    speeds = robot.limits.velocity
    slow = np.full(len(robot.moving_joints), _SLOWEST_SPEED)
    if speeds is not None:
        slow[:actuated] = _SMOOTHING * per_joint(speeds, actuated, "velocity")
    kinds = dict.fromkeys(
        (term.traits.design, term.joint, term.side) for term in robot.joint_terms()
    )
    return [
        (
            TermSettings(kind=kind, side=side),
            robot.moving_joints[joint],
            float(slow[joint]) if term_kind(kind).smoothed else 0.0,
        )
        for kind, joint, side in kinds
        if kind
    ]
