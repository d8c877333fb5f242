"""No margin changes faster than the bound from speeds and levers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.representatives import representatives
from support.walled_arm import BOX, WALL, walled

from dynid.excitation.motion import Motion
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot

STEP = 1e-4
SETTINGS = {
    "self_collision": True,
    "planes": WALL,
    "boxes": BOX,
    "tool_box": {"low": [-0.5, -0.5, 0.0], "high": [0.7, 0.5, 0.6]},
    "tool_speed": 1.0,
}
WALLED = walled(**SETTINGS)


def fastest(workspace: Workspace, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How fast margins change at a state (3, n), and the bound on it; (C,) both."""
    q, dq, ddq = start
    time = np.array([[-STEP / 2], [STEP / 2]])
    motion = Motion(
        q + dq * time + ddq * time**2 / 2, dq + ddq * time, np.broadcast_to(ddq, (2, len(q)))
    )
    change = np.abs(np.diff(workspace.margins(motion), axis=0))[0] / STEP
    slide = np.abs(motion.position).max(axis=0)
    speed = np.abs(motion.velocity).max(axis=0)[np.newaxis]
    return change, workspace.loss_rates(slide, speed, np.abs(motion.acceleration[:1]))[0]


@given(arrays(np.float64, (3, 4), elements=st.floats(-2, 2, width=32)))
def test_margins_of_an_arm_on_a_slide_change_no_faster_than_bounded(start) -> None:
    change, bound = fastest(WALLED, start)
    assert np.all(change <= bound + 1e-2)


@pytest.mark.parametrize("name", representatives(["puma560", "ur10", "scara", "yumi_arm"], 1))
def test_margins_of_shipped_robots_change_no_faster_than_bounded(name: str) -> None:
    robot = load_robot(name).with_settings(WorkspaceSettings(**SETTINGS))
    workspace = Workspace(robot, robot.mechanism())
    random = np.random.default_rng(0)
    for start in random.uniform(-2, 2, (100, 3, len(robot.joints))):
        change, bound = fastest(workspace, start)
        assert np.all(change <= bound + 1e-2)


def test_a_joint_that_carries_both_bodies_does_not_move_them_against_one_another() -> None:
    only_slide = np.array([[1.0, 0.0, 0.0, 0.0]])
    still = np.zeros((1, 4))
    rates = WALLED.loss_rates(np.zeros(4), only_slide, still)[0]
    bound = dict(zip(WALLED.names, rates, strict=True))
    assert bound["hand to upper"] == 0.0
    assert bound["hand to base"] == 1.0


def test_the_lever_of_a_joint_is_the_chain_behind_it() -> None:
    shoulder = np.array([[0.0, 1.0, 0.0, 0.0]])
    rates = WALLED.loss_rates(np.zeros(4), shoulder, np.zeros((1, 4)))[0]
    bound = dict(zip(WALLED.names, rates, strict=True))
    assert bound["hand to plane 'wall'"] == pytest.approx(0.4 + 0.3 + 0.25 + 0.04)
    # of a capsule, the corner of the box about it counts
    assert 0.4 + 0.3 + 0.04 <= bound["lower to plane 'wall'"] < 0.4 + 0.3 + 0.05
    # at 1 rad/s the tool's acceleration is centripetal
    assert bound["tool speed"] >= 0.4 + 0.3 + 0.25
