"""Predictions of whole robots: noise, torque, tool, sliding joints, closed chains, motors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.small_robot import ROBOT, URDF
from support.synthetic import arm_robot

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.excitation.prediction.precision import torque_noise
from dynid.excitation.prediction.prediction import predict
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import find_excitation
from dynid.excitation.sine import SineExcitation
from dynid.playback.plan import make_plan
from dynid.profile import load_robot, make_robot
from dynid.report.prediction import prediction_scene
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.settings import stated_torque_noise

TURNTABLE = """
<robot name="turntable">
  <link name="base"/><link name="disc"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="disc"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="held" type="fixed"><parent link="disc"/><child link="tip"/>
    <origin xyz="0.5 0 0.2"/></joint>
</robot>
"""


def duo(**changes) -> Robot:
    content = {key: value for key, value in (ROBOT | changes).items() if value is not None}
    return make_robot(content, URDF)


def predicted(robot, excitation, parameters=None, **options):
    model = nominal_model(robot, parameters)
    stated = stated_torque_noise(robot, model.mechanism)
    return predict(model, excitation, stated_noise=stated, **options)


def expected(robot=None, parameters=None, **options):
    robot = duo() if robot is None else robot
    excitation = build_excitation(find_excitation(robot), robot.limits, robot.joints)
    return predicted(robot, excitation, parameters, **options)


def stated_noise(robot, torque):
    mechanism = robot.mechanism()
    return torque_noise(robot, mechanism, torque, stated=stated_torque_noise(robot, mechanism))


def test_torque_is_that_of_the_current_parameters():
    found = expected()
    mechanism, signals = duo().mechanism(), found.signals
    motion = signals.motion
    torque = mechanism.inverse_dynamics(*motion)
    np.testing.assert_allclose(signals.torque, torque, atol=1e-9)
    assert [one.peak for one in found.torques] == pytest.approx(np.abs(torque).max(axis=0))
    assert found.torques[0].share == pytest.approx(found.torques[0].peak / 60)


def test_the_assumptions_say_that_a_urdf_lacks_friction():
    assert any("without friction" in sentence for sentence in expected().assumptions)
    parameters = duo().mechanism().urdf_parameters + 0.01
    assert not any("without friction" in one for one in expected(parameters=parameters).assumptions)


UNLIMITED = {"position": [[-2, 2], [-2, 2]], "torque_max": None}


@pytest.mark.parametrize(
    ("profile", "expected", "source"),
    [
        (  # steps of 0.3464 N m are off by 0.1 N m
            {"simulation": ROBOT["simulation"] | {"rated_torque": [346.4101615, 0.0]}},
            [np.hypot(0.2, 0.1), 0.1],
            "that of the profile's drives",
        ),
        ({"simulation": None}, [0.6, 0.3], "assumed to be 1 % of limits.torque_max"),
        (
            {"simulation": None, "limits": UNLIMITED},
            [0.04, 0.05],
            "assumed to be 1 % of the largest predicted torque",
        ),
        ({"simulation": {"torque_noise": [0.2, 0.0]}}, [0.2, 0.3], "does not state it for elbow"),
    ],
    ids=["profile with steps", "limits", "predicted torque", "one joint"],
)
def test_noise_is_stated_or_assumed(profile, expected, source):
    noise, sentence = stated_noise(duo(**profile), np.array([[3.0, -5.0], [-4.0, 2.0]]))
    assert noise == pytest.approx(expected)
    assert source in sentence


def test_noise_of_coupled_motors_reaches_the_joints_that_they_move():
    robot = load_robot("tx40", overrides=["simulation.torque_noise=[1,1,1,1,1,1]"])
    mechanism = robot.mechanism()
    noise, _ = stated_noise(robot, np.zeros((2, 6)))
    motors = np.random.default_rng(0).standard_normal((6, 40_000))
    joints = np.linalg.solve(mechanism.coupling.T, motors)
    assert noise == pytest.approx(joints.std(axis=1), rel=0.02)


def test_twice_the_noise_doubles_standard_deviations():
    once, twice = (expected(noise=[size]) for size in (0.1, 0.2))
    for one, other in zip(once.parameters, twice.parameters, strict=True):
        assert other.standard_deviation == pytest.approx(2 * one.standard_deviation)


def test_four_times_the_samples_halve_standard_deviations():
    once, often = (expected(sampling_rate=rate) for rate in (250.0, 1000.0))
    ratios = [
        other.standard_deviation / one.standard_deviation
        for one, other in zip(once.parameters, often.parameters, strict=True)
    ]
    assert ratios == pytest.approx([0.5] * len(ratios), rel=0.01)


@pytest.mark.parametrize("noise", [[0.0], [0.1, -0.1], [0.1, float("nan")], [0.1, 0.1, 0.1]])
def test_impossible_noise_is_refused(noise):
    with pytest.raises(ConfigurationError, match="torque_noise"):
        expected(noise=noise)


@pytest.mark.parametrize("rate", [0.0, -5.0])
def test_an_impossible_sampling_rate_is_refused(rate):
    with pytest.raises(ConfigurationError, match="sampling_rate"):
        expected(sampling_rate=rate)


def test_an_excitation_of_another_robot_is_refused():
    robot = arm_robot()
    motion = SineExcitation(np.zeros(2), np.ones(2), np.ones(2), Ramp(1.0, 5.0))
    with pytest.raises(ExcitationError, match="moves 2 joints, expected 3 as in profile 'arm'"):
        predicted(robot, motion)


def test_the_tool_speed_of_a_turntable_is_proportional_to_its_radius():
    robot = make_robot({"robot": "t", "urdf": "t.urdf", "joints": ["turn"]}, TURNTABLE)
    swing = SineExcitation(np.array([-1.0]), np.array([1.0]), np.array([0.5]), Ramp(0.0, 8.0))
    found = predicted(robot, swing)
    assert found.tool_speed == pytest.approx(0.5 * np.pi, rel=2e-3)
    x, y = 0.5 * np.cos(1), 0.5 * np.sin(1)
    np.testing.assert_allclose(found.tool_box, [[x, -y, 0.2], [0.5, y, 0.2]], atol=1e-3)


def test_advice_names_poor_parameters_and_a_better_motion():
    # at a crawl, viscous friction is lost in the noise, but not Coulomb friction
    robot = duo(excitation=ROBOT["excitation"] | {"span": [1.0, 0.002]})
    parameters = robot.mechanism().urdf_parameters.copy()
    parameters[parameters == 0] = 0.5
    found = expected(robot, parameters)
    weak = [one.name for one in worst_first(found)]
    assert "Fv2" in weak
    assert "Fc2" not in weak
    (sentence,) = (one for one in advice(found) if "Fv2 (±" in one)
    assert "slow and fast strokes of elbow (uses 0." in sentence
    assert "of its velocity limit) would determine it better" in sentence


def test_worst_come_first_and_what_is_not_determined_before_them():
    found = expected(parameters=duo().mechanism().urdf_parameters + 1e-5)
    sizes = [one.relative for one in worst_first(found)]
    assert len(sizes) > 3
    assert sizes == sorted(sizes, reverse=True)
    *others, last = found.parameters
    lost = replace(last, value=0.0, standard_deviation=np.inf)
    assert worst_first(replace(found, parameters=(*others, lost)))[0] is lost


def test_advice_names_joints_with_few_cycles():
    robot = duo()
    once = SineExcitation(np.array([-1.0, -1.0]), np.ones(2), np.array([0.2, 0.8]), Ramp(0.0, 5.0))
    found = predicted(robot, once)
    assert any("Fewer than 3 cycles of shoulder (1)" in one for one in advice(found))


def test_torque_beyond_its_limit_is_reported():
    robot = duo(limits=ROBOT["limits"] | {"torque_max": [60.0, 0.5]})
    assert any("Predicted torque of elbow" in one for one in advice(expected(robot)))


def test_a_joint_at_rest_fails_the_motion():
    robot = duo()
    moves = np.array([[1.0, 0.5], [0.0, 0.0]])
    still = FourierExcitation(np.zeros(2), moves, moves, 0.3, Ramp(1.0, 8.0))
    found = predicted(robot, still)
    assert not good(found)
    lost = [one.name for one in found.parameters if not one.determined]
    assert {"Fv2", "Fc2"} <= set(lost)
    assert f"determines {len(found.parameters) - len(lost)} of {len(found.parameters)}" in verdict(
        found
    )


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["scara", "delta_3", "axis_linear", "puma560_static"])
def test_predictions_work_for_shipped_robots(name):
    robot = load_robot(name, overrides=["excitation.periods=1"])
    plan = make_plan(robot)
    found = predicted(robot, plan.excitation, plan.mechanism.parameters)
    assert found.joints == robot.joints
    assert all(one.determined for one in found.parameters)
    assert np.isfinite(found.precision.condition_number)
    assert np.isfinite(prediction_scene(found).lines[0].points).all()
    assert all(0 < one.range_share <= 1 for one in found.coverage)


def test_a_prediction_works_for_a_robot_recorded_at_its_motors():
    robot = load_robot("tx40")
    random = np.random.default_rng(0)
    sine, cosine = random.normal(0, 0.2, (2, 6, 3))
    motion = FourierExcitation(np.zeros(6), sine, cosine, 0.3, Ramp(1.0, 6.0))
    found = predicted(robot, motion)
    assert all(one.determined for one in found.parameters)
    assert found.joints == robot.joints
