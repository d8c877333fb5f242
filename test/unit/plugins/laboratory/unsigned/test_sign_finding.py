"""Signs of torque found on arms with known torque."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.torque_signs import TorqueSigns
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.laboratory.unsigned.model_signs import signed_by_model
from dynid_plugins.laboratory.unsigned.sign_finding import expected_torque, find_signs

NOISE = 0.2
ROD = """
<robot name="rod">
  <link name="base"/>
  <link name="rod"><inertial><mass value="{mass}"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.42" izz="0.42" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axis" type="revolute"><parent link="base"/><child link="rod"/>
    <origin xyz="0 0 1" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
</robot>
"""


def unsigned(recording: Recording) -> Recording:
    return replace(recording, effort=np.abs(recording.effort))


def signs_of(robot: Robot, *recordings: Recording) -> tuple[tuple[Recording, ...], TorqueSigns]:
    mechanism = robot.mechanism()
    lost = [unsigned(recording) for recording in recordings]
    return find_signs(robot, mechanism, base_parameterization(mechanism), lost)


def without_bodies(robot: Robot) -> Robot:
    bare = re.sub(r"<inertial>.*?</inertial>", "", robot.urdf_xml, flags=re.DOTALL)
    return robot.with_urdf(bare)


def share_right(signed: Recording, truth: Recording, above: float) -> float:
    """Return how many samples with torque above ``above`` [N m] have the right sign."""
    large = np.abs(truth.effort) > above
    return float(np.mean((signed.effort * truth.effort)[large] > 0))


def arm_recording(robot: Robot, *, noise: float = NOISE, seed: int = 0) -> Recording:
    mechanism = robot.mechanism()
    return recorded(mechanism, true_parameters(mechanism), noise=noise, seed=seed)


def rod(mass: float = 1) -> Robot:
    return arm_robot(joints=["axis"], terms=[]).with_urdf(ROD.format(mass=mass))


def rod_recording(*, cycles: float, noise: float = 0.05) -> Recording:
    """Return a rod that swings ``cycles`` times a second about its hanging position."""
    robot = rod(mass=5)
    time = np.arange(4000) / 200
    omega = 2 * np.pi * cycles
    angle = -np.pi / 2 + 0.8 * np.sin(omega * time)[:, None]
    rate = 0.8 * omega * np.cos(omega * time)[:, None]
    mechanism = robot.mechanism()
    torque = mechanism.inverse_dynamics(angle, rate, -(omega**2) * (angle + np.pi / 2))
    torque = torque + noise * np.random.default_rng(0).standard_normal(torque.shape)
    return Recording(
        time, angle, torque, velocity=rate, joint_names=robot.joints, sampling_rate=200.0
    )


def standardised_error(identification: Identification, truth: np.ndarray) -> float:
    """Return the error of the base parameters in their standard deviations, rms."""
    found = identification.base_parameters
    values = np.array([one.value for one in found])
    deviations = np.array([one.standard_deviation for one in found])
    return float(np.sqrt(np.mean(((values - truth) / deviations) ** 2)))


@pytest.mark.thorough
@pytest.mark.parametrize("bodies", [True, False])
def test_signs_of_a_noisy_arm_are_right_where_torque_is_not_near_zero(bodies: bool) -> None:
    robot = arm_robot()
    recording = arm_recording(robot)
    (signed,), signs = signs_of(robot if bodies else without_bodies(robot), recording)
    assert share_right(signed, recording, above=3 * NOISE) > 0.999
    if bodies:
        assert [drive.decided_by for drive in signs.drives] == ["physical consistency"] * 3
        assert not signs.warnings()


def test_model_from_unsigned_torque_is_as_accurate_as_from_signed() -> None:
    robot = arm_robot()
    lost = arm_robot(
        identification={"cutoff_hz": None, "trim_rest": False, "unsigned_torque": True}
    )
    recording = arm_recording(robot)
    mechanism = robot.mechanism()
    truth = base_parameterization(mechanism).project(true_parameters(mechanism))
    signed = identify(robot, [recording])
    found = identify(lost, [unsigned(recording)])
    assert standardised_error(signed, truth) < 1.5
    assert standardised_error(found, truth) < 1.2 * standardised_error(signed, truth) + 0.2
    assert found.signs is not None
    assert found.notes[0] == found.signs.note()


def test_several_recordings_have_one_model() -> None:
    robot = arm_robot()
    recordings = [arm_recording(robot, seed=seed) for seed in (0, 5)]
    signed, signs = signs_of(robot, *recordings)
    for one, truth in zip(signed, recordings, strict=True):
        assert share_right(one, truth, above=3 * NOISE) > 0.999
    assert sum(drive.segments for drive in signs.drives) > 20


def test_signs_of_coupled_motors_are_found_at_the_motors() -> None:
    coupling = [[1.0, 0, 0], [0, 1.0, 0], [0, -0.5, 1.0]]
    robot = arm_robot(coupling=coupling, recording={"side": "motor"})
    at_joints = arm_recording(arm_robot())
    matrix = np.array(coupling)  # q_joint = T q_motor, tau_motor = T' tau_joint
    recording = replace(
        at_joints,
        position=at_joints.position @ np.linalg.inv(matrix).T,
        velocity=at_joints.velocity @ np.linalg.inv(matrix).T,
        effort=at_joints.effort @ matrix,
    )
    (signed,), _ = signs_of(robot, recording)
    assert share_right(signed, recording, above=3 * NOISE) > 0.999


def test_inertia_determines_the_common_sign() -> None:
    recording = rod_recording(cycles=1.0)
    (signed,), signs = signs_of(rod(), recording)
    assert share_right(signed, recording, above=0.5) == 1.0
    assert signs.drives[0].decided_by == "physical consistency"


@pytest.mark.parametrize(
    ("bodies", "decided_by", "warning"),
    [(True, "URDF", "was taken from the URDF"), (False, "nothing", "is unknown")],
)
def test_bodies_of_the_urdf_decide_the_common_sign_of_slow_motion(
    bodies: bool, decided_by: str, warning: str
) -> None:
    recording = rod_recording(cycles=0.05, noise=1.0)
    (signed,), signs = signs_of(rod() if bodies else without_bodies(rod()), recording)
    assert not bodies or share_right(signed, recording, above=3.0) == 1.0
    assert signs.drives[0].decided_by == decided_by
    assert warning in signs.warnings()[0]


def test_expected_torque_has_no_bias_unlike_the_models_sign() -> None:
    random = np.random.default_rng(0)
    torque = np.full(200_000, 0.5)
    size = np.abs(torque + random.standard_normal(len(torque)))
    expected = expected_torque(size, torque, np.ones(1))
    assert np.mean(expected) == pytest.approx(0.5, abs=0.01)
    assert np.mean(size) > 0.85


def test_signs_of_a_model_are_those_of_its_torque() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = arm_recording(robot, noise=0.0)
    model = mechanism.with_parameters(true_parameters(mechanism))
    signed = signed_by_model(robot, model, unsigned(recording))
    assert share_right(signed, recording, above=0.5) > 0.999


@pytest.mark.parametrize(
    ("share", "moves", "words"),
    [
        (np.sign, True, "has a sign; identify without unsigned_torque"),
        (lambda _: 0.0, True, "torque is always zero"),
        (lambda _: 1.0, False, "no joint moves"),
    ],
    ids=["signed", "zero", "still"],
)
def test_refuses_torque_without_signs_to_find(share, moves: bool, words: str) -> None:
    robot = arm_robot()
    mechanism, recording = robot.mechanism(), arm_recording(robot)
    effort = np.abs(recording.effort) * share(recording.effort)
    position, velocity = (moves * one for one in (recording.position, recording.velocity))
    given = replace(recording, effort=effort, position=position, velocity=velocity)
    with pytest.raises(EstimationError, match=words):
        find_signs(robot, mechanism, base_parameterization(mechanism), [given])


def test_a_joint_without_torque_does_not_affect_the_signs_of_others() -> None:
    robot = arm_robot()
    recording = arm_recording(robot)
    effort = np.array(recording.effort)
    effort[:, 2] = 0.0
    (signed,), signs = signs_of(robot, replace(recording, effort=effort))
    assert share_right(signed, replace(recording, effort=effort), above=2.0) > 0.99
    assert signs.drives[2].segments == 0
    assert np.isfinite(signed.effort).all()
