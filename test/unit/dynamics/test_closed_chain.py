"""Robots with closed chains, against relations without derivatives of closures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio
import pytest

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, ExcitationError, MechanismError
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.robot.robot import Robot

ROBOTS = ("delta_3", "delta_4", "palletiser")
robots = pytest.mark.parametrize("name", ROBOTS)


@cache
def built(name: str) -> tuple[Robot, Mechanism]:
    robot = load_robot(name)
    mechanism = robot.mechanism()
    bodies = mechanism.urdf_parameters[: mechanism.first_term]
    random = np.random.default_rng(5)
    terms = random.uniform(0.1, 1.0, len(mechanism.terms))
    return robot, mechanism.with_parameters(np.concatenate([bodies, terms]))


def positions(name: str, count: int, seed: int = 0) -> np.ndarray:
    robot, mechanism = built(name)
    lower, upper, *_ = robot.limits.of_joints(len(robot.joints))
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(mechanism.joints)))


def without_terms(mechanism: Mechanism) -> Mechanism:
    bodies = mechanism.urdf_parameters[: mechanism.first_term]
    return mechanism.with_parameters(np.concatenate([bodies, np.zeros(len(mechanism.terms))]))


def tree(name: str) -> tuple[Mechanism, np.ndarray]:
    """Return the robot as an open tree with all joints driven, and its bodies' parameters."""
    robot, mechanism = built(name)
    opened = Mechanism(robot.urdf_xml, mechanism.moving_joints, gravity=robot.gravity)
    return opened, opened.urdf_parameters


def full_position(model: pinocchio.Model, names: tuple[str, ...], row: np.ndarray) -> np.ndarray:
    found = pinocchio.neutral(model)
    for name, value in zip(names, row, strict=True):
        joint = model.joints[model.getJointId(name)]
        parts = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        found[joint.idx_q : joint.idx_q + joint.nq] = parts
    return found


@robots
def test_loops_are_closed_everywhere_within_the_limits(name):
    robot, mechanism = built(name)
    model = pinocchio.buildModelFromXML(robot.urdf_xml)
    data = model.createData()
    worst = 0.0
    for row in mechanism.moving_positions(positions(name, 300)):
        full = full_position(model, mechanism.moving_joints, row)
        pinocchio.framesForwardKinematics(model, data, full)
        for closure in robot.closed_chain.closures:
            ends = [
                data.oMf[model.getBodyId(link)].act(np.array(point))
                for link, point in zip(closure.links, closure.points, strict=True)
            ]
            worst = max(worst, float(np.linalg.norm(ends[0] - ends[1])))
    assert worst < 1e-10


@robots
def test_torque_follows_the_principle_of_virtual_work(name):
    _, mechanism = built(name)
    opened, bodies = tree(name)
    start = positions(name, 20, seed=1)
    random = np.random.default_rng(2)
    velocity, acceleration = random.normal(size=(2, *start.shape))
    step = 1e-4

    def along(time: float) -> np.ndarray:
        return mechanism.moving_positions(start + velocity * time + acceleration * time**2 / 2)

    # motion of all joints from positions alone
    before, now, after = along(-step), along(0.0), along(step)
    whole = opened.torque(
        now, (after - before) / (2 * step), (after - 2 * now + before) / step**2, bodies
    )
    expected = np.empty_like(start)
    for joint in range(start.shape[1]):
        moved = np.eye(start.shape[1])[joint] * 1e-6
        ahead, behind = map(mechanism.moving_positions, (start + moved, start - moved))
        expected[:, joint] = np.sum(whole * (ahead - behind), axis=1) / 2e-6
    rigid = without_terms(mechanism)
    found = rigid.inverse_dynamics(start, velocity, acceleration)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@robots
def test_mechanical_energy_is_constant_without_drive_torque(name):
    robot, mechanism = built(name)
    free = without_terms(mechanism)
    model = pinocchio.buildModelFromXML(robot.urdf_xml)
    data = model.createData()

    def energy(q: np.ndarray, dq: np.ndarray) -> float:
        full = full_position(model, free.moving_joints, free.moving_positions(q))
        kinetic = dq @ free.mass_matrix(q) @ dq / 2
        return float(kinetic + pinocchio.computePotentialEnergy(model, data, full))

    q = np.full(len(free.joints), 0.1)
    dq = np.linspace(-0.3, 0.4, len(free.joints))
    first, moved, step = energy(q, dq), 0.0, 1e-3
    for _ in range(250):  # Runge and Kutta, fourth order
        slopes = []
        for share in (0.0, 0.5, 0.5, 1.0):
            at, speed = (
                (q, dq)
                if not slopes
                else (q + share * step * slopes[-1][0], dq + share * step * slopes[-1][1])
            )
            slopes.append((speed, free.forward_dynamics(at, speed, np.zeros_like(q))))
        q = q + step / 6 * (slopes[0][0] + 2 * slopes[1][0] + 2 * slopes[2][0] + slopes[3][0])
        dq = dq + step / 6 * (slopes[0][1] + 2 * slopes[1][1] + 2 * slopes[2][1] + slopes[3][1])
        moved = max(moved, float(dq @ free.mass_matrix(q) @ dq / 2))
    assert moved > 0.1  # it did move
    assert abs(energy(q, dq) - first) < 1e-6 * moved


@robots
def test_regressor_matrices_and_newton_euler_agree(name):
    _, mechanism = built(name)
    q = positions(name, 50, seed=3)
    dq, ddq = np.random.default_rng(4).normal(size=(2, *q.shape))
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    size = np.abs(torque).max()
    regressor = mechanism.regressor(q, dq, ddq)
    by_regressor = regressor @ mechanism.parameters
    mass, coriolis = mechanism.mass_matrix(q), mechanism.coriolis_matrix(q, dq)
    by_matrices = (
        np.einsum("nij,nj->ni", mass, ddq)
        + np.einsum("nij,nj->ni", coriolis, dq)
        + mechanism.gravity_torque(q)
        + mechanism.term_torque(q, dq, np.zeros_like(q))
    )
    np.testing.assert_allclose(by_regressor, torque, atol=1e-12 * size)
    np.testing.assert_allclose(by_matrices, torque, atol=1e-11 * size)
    vectors = np.random.default_rng(5).normal(size=(2, *q.shape))
    products = np.einsum("cij,ijp->cp", vectors, regressor)
    found = mechanism.products(q, dq, ddq, vectors)
    np.testing.assert_allclose(found, products, atol=1e-11 * np.abs(products).max())


@robots
def test_base_parameters_reproduce_the_torque(name):
    _, mechanism = built(name)
    base = base_parameterization(mechanism)
    q = positions(name, 50, seed=6)
    dq, ddq = np.random.default_rng(7).normal(size=(2, *q.shape))
    torque = mechanism.inverse_dynamics(q, dq, ddq)
    columns = mechanism.regressor(q, dq, ddq)[:, :, base.independent]
    found = columns @ base.project(mechanism.parameters)
    np.testing.assert_allclose(found, torque, atol=1e-8 * np.abs(torque).max())
    assert len(base.names) < len(mechanism.parameter_names)


def test_positions_out_of_reach_are_refused_with_the_pose():
    _, mechanism = built("delta_3")
    still = np.zeros((2, 3))
    with pytest.raises(
        MechanismError, match=r"Sample 1: at joint_1 = 0.85.*cannot be closed.*out of"
    ):
        mechanism.inverse_dynamics([[0, 0, 0], [0.85, -1.43, -2.85]], still, still)
    assert mechanism.reachable([[0, 0, 0], [0.85, -1.43, -2.85]]).tolist() == [True, False]


def test_a_singular_position_is_refused_with_joint_and_pose():
    _, mechanism = built("palletiser")
    # arm and crank in one line: the parallelogram is flat
    with pytest.raises(
        MechanismError, match=r"joint_3 = -0.77.* singular: passive joint '\w+' can"
    ):
        mechanism.gravity_torque([0.0, 0.8, 0.8 - np.pi / 2, 0.0])


def test_the_start_selects_the_assembly_mode():
    robot, mechanism = built("delta_3")
    chain = robot.closed_chain
    above = {**chain.passive, "platform_z": 0.6}
    above |= {joint: -value for joint, value in chain.passive.items() if joint.startswith("elbow")}
    other = robot.model_copy(update={"closed_chain": chain.model_copy(update={"passive": above})})
    flipped = other.mechanism()
    height = mechanism.moving_joints.index("platform_z")
    assert mechanism.moving_positions(np.zeros(3))[height] < -0.6
    assert flipped.moving_positions(np.zeros(3))[height] > 0.6


@pytest.mark.parametrize(
    ("closure", "sentence"),
    [
        ({"kind": "revolute", "points": [[0, 0, 0], [0, 0, 0]]}, "kind revolute needs 'axes'"),
        ({"kind": "distance", "points": [[0, 0, 0], [0, 0, 0]]}, "kind distance needs 'length'"),
        ({"points": [[0, 0, 0], [0, 0, 0]], "length": 1}, "'length' is only for .* kind distance"),
        ({}, "points"),
    ],
)
def test_an_incomplete_closure_is_refused(closure, sentence):
    links = f"links: [rods_1, platform], {str(closure)[1:-1]}".rstrip(", ")
    with pytest.raises(ConfigurationError, match=sentence):
        load_robot("delta_3", overrides=[f"closed_chain.closures=[{{{links}}}]"])


def test_a_joint_is_actuated_or_passive():
    with pytest.raises(
        ConfigurationError, match=r"joint 'elbow_1' is in 'joints'.*in only one of them"
    ):
        load_robot("delta_3", overrides=["joints=[joint_1, joint_2, elbow_1]"])


def test_a_motion_out_of_reach_is_refused_before_the_robot_moves():
    wide = ["limits.position=[[-3.1, 3.1]]", "excitation.span=[3.0]", "excitation.centre=[0]"]
    wide.append("limits.torque_max=null")  # torque grows beyond all bounds on the way there
    with pytest.raises(
        ExcitationError, match=r"leaves the reachable range of the closed chain \d.*joint_1"
    ):
        make_plan(load_robot("delta_3", overrides=wide))
