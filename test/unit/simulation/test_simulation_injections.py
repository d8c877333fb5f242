"""What can happen to the simulated robot while it runs: pushes, lost frames, saturation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pinocchio
import pytest
import yaml
from support.simulated_puma import EXACT, RATE, ROBOT, largest, puma, targets

from dynid.errors import SimulationError
from dynid.profile import load_robot
from dynid.simulation.robot import SimulatedRobot

if TYPE_CHECKING:
    from pathlib import Path

FORCE = np.array([12.0, -30.0, 20.0])  # [N]
MOMENT = np.array([1.0, 2.0, -3.0])  # [N*m]
POINT = np.array([0.05, 0.02, -0.04])  # [m]

# a slide on a turntable, a hinge that is locked, and a tool behind it
SLIDE = """
<robot name="slide"><link name="base"/>
  <link name="table"><inertial><mass value="3"/><origin xyz="0.1 0 0"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="cart"><inertial><mass value="2"/><origin xyz="0 0.1 0"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="table"/>
    <origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/></joint>
  <joint name="shift" type="prismatic"><parent link="table"/><child link="cart"/>
    <origin xyz="0.2 0.1 0" rpy="0.4 -0.2 0.5"/><axis xyz="0.6 0.8 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="1"/></joint>
  <joint name="hinge" type="revolute"><parent link="cart"/><child link="arm"/>
    <origin xyz="0.1 0 0.1" rpy="0 0.3 0"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="100" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0.3 0 0.1" rpy="0.2 0.1 -0.3"/></joint>
</robot>"""


def point_jacobian(model: pinocchio.Model, q: np.ndarray, link: str) -> np.ndarray:
    """Velocity of the point and of the link, in the link's frame, per joint velocity (6, n).

    By differences of where pinocchio places the link.
    """

    def placement(position: np.ndarray) -> pinocchio.SE3:
        pinocchio.framesForwardKinematics(model, data, position)
        frame = data.oMf[model.getFrameId(link)]
        return pinocchio.SE3(frame.rotation, frame.act(POINT))

    data = model.createData()
    step = 1e-6
    columns = []
    for shift in step * np.eye(model.nv):
        ahead = placement(pinocchio.integrate(model, q, shift))
        behind = placement(pinocchio.integrate(model, q, -shift))
        columns.append(pinocchio.log6(behind.actInv(ahead)).vector / (2 * step))
    return np.array(columns).T


def slide(folder: Path) -> SimulatedRobot:
    (folder / "slide.urdf").write_text(SLIDE)
    path = folder / "slide.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "robot": "slide",
                "urdf": "slide.urdf",
                "joints": ["shift", "turn"],  # not the URDF's order
                "locked": {"hinge": 0.7},
                "limits": {"position": [[-1, 1], [-3, 3]], "acceleration": 10},
                "terms": [],
            }
        )
    )
    return SimulatedRobot(load_robot(path))


# --- a push ------------------------------------------------------------------------------------


def test_a_push_reaches_through_slides_locked_joints_and_fixed_links(tmp_path) -> None:
    simulated = slide(tmp_path)
    shift, turn = 0.2, -0.9
    simulated.reset([shift, turn])
    simulated.push("tool", FORCE, moment=MOMENT, point=POINT)
    simulated.step(np.array([shift, turn]))
    # pinocchio's order, which has a continuous joint as cosine and sine
    full = np.array([np.cos(turn), np.sin(turn), shift, 0.7])
    work = point_jacobian(pinocchio.buildModelFromXML(SLIDE), full, "tool").T @ np.concatenate(
        [FORCE, MOMENT]
    )
    assert np.allclose(simulated.truth.external_torque, [work[1], work[0]], rtol=0, atol=1e-6)


def test_the_drives_hold_against_a_push_until_it_ends() -> None:
    simulated = SimulatedRobot(puma(**EXACT))
    still = np.tile(simulated.home, (1000, 1))
    before = simulated.run(still).effort[-1]
    simulated.push("flange", 3 * FORCE, duration=0.5)  # more than friction holds
    pushed = simulated.run(still)
    assert simulated.fault is None
    assert np.all(simulated.truth.external_torque == 0.0)
    assert 1e-3 < largest(pushed.position - simulated.home) < 0.1
    assert largest(pushed.effort[490] - before) > 1.0
    assert largest(pushed.position[-1] - simulated.home) < 1e-3
    simulated.push("flange", FORCE)
    simulated.release()
    simulated.step(simulated.home)
    assert np.all(simulated.truth.external_torque == 0.0)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (lambda robot: robot.push("hand", FORCE), "The URDF has no link 'hand'; the links that"),
        (lambda robot: robot.push("base_link", FORCE), "Link 'base_link' is fixed to the base"),
        (lambda robot: robot.push("flange", [1, 2]), "force of a push must be three numbers, got"),
        (lambda robot: robot.push("flange", [1, 2, np.nan]), "a component that is not finite"),
        (lambda robot: robot.push("flange", FORCE, duration=0), "duration of an external force"),
        (lambda robot: robot.push("flange", FORCE, rise=np.inf), "rise time of an external force"),
        (lambda robot: robot.lose_frames(-2), "-2 lost frames are impossible"),
        (lambda robot: robot.lose_frames_randomly(1.5), "but must be from 0 to 1."),
        (lambda robot: robot.saturate(0.0), "above 0 and at most 1."),
        (lambda robot: robot.saturate([0.5, 0.5]), "Drives cannot saturate at [0.5, 0.5]; expec"),
    ],
)
def test_an_impossible_injection_is_refused_in_a_sentence(action, sentence: str) -> None:
    with pytest.raises(SimulationError, match=re.escape(sentence)):
        action(SimulatedRobot(ROBOT))


# --- lost frames, saturation, torque offsets ----------------------------------------------------


def test_lost_frames_freeze_the_state_and_cost_little_tracking() -> None:
    aims = targets()[:1500]
    states, truths = [], []
    for gap in (0, 5):
        simulated = SimulatedRobot(puma(**EXACT))
        simulated.reset(aims[0])
        simulated.run(aims[:1000])
        simulated.lose_frames(gap)
        states.append(simulated.run(aims[1000:]).position)
        truths.append(simulated.truth.position)
        assert simulated.lost_frames == gap
    whole, gappy = states
    assert np.all(np.diff(gappy[:5], axis=0) == 0)
    assert largest(np.diff(whole[:5], axis=0)) > 0
    # extrapolation errs by half the acceleration times the gap squared, and loops forget in 1 / w
    acceleration = largest(np.diff(aims, 2, axis=0)) * RATE**2
    assert 0 < largest(gappy[5:] - whole[5:]) < acceleration * (5 / RATE) ** 2
    assert np.allclose(*truths, atol=1e-6)


def test_a_refused_saturation_changes_no_drive() -> None:
    simulated = SimulatedRobot(ROBOT)
    with pytest.raises(SimulationError, match="The saturation factor of drive 5 is 2"):
        simulated.saturate([0.01, 0.01, 0.01, 0.01, 0.01, 2.0])
    simulated.run(np.tile(simulated.home, (100, 1)))
    assert largest(simulated.truth.torque) > 0.1 * max(ROBOT.limits.torque_max or ())


def test_torque_offsets_of_a_scripted_run_are_those_of_its_cycles() -> None:
    aims = targets()[:300]
    offsets = 3 * np.sin(np.arange(aims.size) / 100).reshape(aims.shape)
    scripted = SimulatedRobot(ROBOT)
    stepped = SimulatedRobot(ROBOT)
    without = SimulatedRobot(ROBOT)
    for simulated in (scripted, stepped, without):
        simulated.reset(aims[0])
    states = scripted.run(aims, offsets)
    singly = [stepped.step(*pair) for pair in zip(aims, offsets, strict=True)]
    for name in ("position", "velocity", "effort"):
        assert np.array_equal(getattr(states, name), [getattr(state, name) for state in singly])
    assert not np.array_equal(states.position, without.run(aims).position)


def test_torque_offsets_for_other_cycles_are_refused() -> None:
    simulated = SimulatedRobot(ROBOT)
    with pytest.raises(ValueError, match="There are 2 torque offsets for 3 targets, but there"):
        simulated.run(np.zeros((3, 6)), np.zeros((2, 6)))
    with pytest.raises(ValueError, match="torque offset has 5 values, but must have 6"):
        simulated.run(np.zeros((3, 6)), np.zeros((3, 5)))
