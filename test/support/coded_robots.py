"""Formulas of robots, for tests of generated code."""

from __future__ import annotations

from functools import cache

import numpy as np

from dynid.dynamics.joint_terms import JointTerm, term_kinds
from dynid.profile import load_robot
from dynid_plugins.laboratory.symbolic.minimal_model import Formulas, minimal_model
from support.random_mechanisms import RandomTree, random_urdf

RANDOM_TREE = "random_tree"


@cache
def coded_robot(name: str) -> Formulas:
    """Return the formulas of a shipped robot or of ``RANDOM_TREE``."""
    return _random_tree() if name == RANDOM_TREE else _shipped(name)


def coded_motion(
    formulas: Formulas, count: int = 100
) -> tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    """Return a random motion (3, count, n), and what the core computes along it, by its name."""
    mechanism = formulas.mechanism
    shape = (3, count, len(mechanism.joints))
    q, dq, ddq = np.random.default_rng(1).uniform(-2.0, 2.0, shape)
    return (q, dq, ddq), {
        "tau": mechanism.inverse_dynamics(q, dq, ddq),
        "gravity": mechanism.gravity_torque(q),
        "friction": mechanism.term_torque(q, dq, np.zeros_like(q)),
    }


def _shipped(name: str) -> Formulas:
    """Return a robot without zero parameters, so that all are in the code."""
    robot = load_robot(name)
    kept = tuple(term for term in robot.terms if not term.traits.has_memory)
    robot = robot.model_copy(update={"terms": kept})
    bare = robot.mechanism()
    added = np.random.default_rng(0).uniform(0.1, 1.0, len(bare.parameters))
    mechanism = bare.with_parameters(bare.parameters + added)
    return minimal_model(mechanism)


def _random_tree() -> Formulas:
    """Return a branched tree with slanted axes, a locked joint, a coupling, and every term."""
    rng = np.random.default_rng(5)
    types = ["revolute", "prismatic", "continuous", "revolute", "revolute"]
    joints = ("j5", "j2", "j1", "j3")
    terms = [
        JointTerm(kind.name, k, side, scale=0.3 if kind.scaled else 0.0)
        for k in range(4)
        for kind in term_kinds()
        for side in ("joint", "motor")
        if not kind.has_memory and (side == "joint" or not kind.loaded)
    ]
    coupling = np.eye(4) + rng.uniform(-0.2, 0.2, (4, 4))
    urdf_xml = random_urdf(rng, types, chain=False)
    gravity = np.array([1.0, -3.0, -9.0])
    tree = RandomTree(urdf_xml, joints, {"j4": 0.7}, gravity, coupling, tuple(terms), seed=3)
    return minimal_model(tree.mechanism())
