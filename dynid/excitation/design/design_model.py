"""The model used to design an excitation: smooth, and without memory."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.dynamics.joint_terms import TermSettings, term_kind

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot

_SMOOTHING = 0.05
"""Share of a joint's velocity limit over which its sign is smoothed, for nonzero derivatives."""

_SLOWEST_SPEED = 0.05  # [rad/s or m/s] the same for joints without a limit


def design_model(model: Model) -> Mechanism:
    """Return the mechanism that predicts information and torque.

    It has the bodies of ``model``, its viscous friction, offsets, rotor inertias and springs. Dry
    friction is replaced by smooth Coulomb friction: presliding friction has memory, and the shapes
    of other terms (Stribeck, roots, cubes) are excited by any motion that excites these.

    Args:
        model: of the robot, with the parameters for the prediction.

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
