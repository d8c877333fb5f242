"""Joints that follow others by a ratio, in a closed chain."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.closed_chain import ClosedChain, LoopClosure
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError, MechanismError

BODY = """<inertial><origin xyz="{x} 0.03 -0.02"/><mass value="{m}"/>
  <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>"""
URDF = f"""<robot name="lift"><link name="base"/>
  <link name="arm">{BODY.format(x=0.2, m=3.0)}</link>
  <link name="hand">{BODY.format(x=0.1, m=1.5)}</link>
  <link name="slide">{BODY.format(x=0.05, m=0.7)}</link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="50"/></joint>
  <joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" velocity="3" effort="50"/></joint>
  <joint name="reach" type="prismatic"><parent link="hand"/><child link="slide"/>
    <origin xyz="0.1 0 0"/><axis xyz="1 0 0.2"/>
    <limit lower="-9" upper="9" velocity="3" effort="50"/></joint></robot>"""
RATIO, OFFSET = -1.7, 0.3


def gear(first: str, second: str, ratio: float = RATIO) -> LoopClosure:
    return LoopClosure((first, second), kind="gear", ratio=ratio)


def motion(joints: int) -> np.ndarray:
    return np.random.default_rng(4).uniform(-1, 1, (3, 50, joints))


def test_torque_of_a_follower_reaches_its_leader_by_the_ratio() -> None:
    chain = ClosedChain({"wrist": OFFSET}, (gear("hand", "arm"),))
    geared = Mechanism(URDF, ["shoulder", "reach"], chain=chain)
    tree = Mechanism(URDF, ["shoulder", "wrist", "reach"])
    q, dq, ddq = motion(2)
    spread = np.array([[1, 0], [RATIO, 0], [0, 1]])
    tau = tree.inverse_dynamics(q @ spread.T + [0, OFFSET, 0], dq @ spread.T, ddq @ spread.T)
    assert np.allclose(geared.inverse_dynamics(q, dq, ddq), tau @ spread, atol=1e-12)
    mass = geared.mass_matrix(q)
    full = tree.mass_matrix(q @ spread.T + [0, OFFSET, 0])
    assert np.allclose(mass, spread.T @ full @ spread)


def test_followers_of_followers_and_of_slides_multiply_their_ratios() -> None:
    chain = ClosedChain(
        {"wrist": 0.0, "reach": 0.0}, (gear("hand", "arm", 2.0), gear("slide", "hand", -0.3))
    )
    geared = Mechanism(URDF, ["shoulder"], chain=chain)
    moved = geared.moving_positions([[0.5]])
    assert np.allclose(moved, [[0.5, 1.0, -0.3]], atol=1e-13)


def test_gear_keeps_the_offset_of_the_assembled_positions() -> None:
    chain = ClosedChain({"wrist": 0.8}, (gear("hand", "arm", 3.0),), assembled_at=(0.1, 0.0))
    geared = Mechanism(URDF, ["shoulder", "reach"], chain=chain)
    moved = geared.moving_positions([[0.1, 0.0], [0.3, 0.2]])
    assert np.allclose(moved[:, 2], [0.8, 0.8 + 3 * 0.2], atol=1e-13)


def test_regressor_and_base_parameters_are_those_of_the_geared_robot() -> None:
    chain = ClosedChain({"wrist": OFFSET}, (gear("hand", "arm"),))
    geared = Mechanism(URDF, ["shoulder", "reach"], chain=chain)
    q, dq, ddq = motion(2)
    regressor = geared.regressor(q, dq, ddq)
    assert np.allclose(regressor @ geared.parameters, geared.inverse_dynamics(q, dq, ddq))
    base = base_parameterization(geared)
    columns = regressor.reshape(-1, regressor.shape[2])
    assert np.linalg.matrix_rank(columns) == len(base.names)


@pytest.mark.parametrize(
    ("closure", "words"),
    [
        (gear("hand", "base"), "two links that different joints move"),
        (gear("hand", "hand"), "two links that different joints move"),
        (gear("hand", "arm", 0.0), "ratio that is 0"),
        (gear("hand", "arm", float("nan")), "ratio that is 0 or not finite"),
        (gear("slide", "arm"), "can move while"),
    ],
)
def test_impossible_gear_is_refused(closure: LoopClosure, words: str) -> None:
    chain = ClosedChain({"wrist": 0.0}, (closure,))
    with pytest.raises((MechanismError, DynidError), match=words):
        Mechanism(URDF, ["shoulder", "reach"], chain=chain)
