"""Servos: the law of their position loop, and the torque it gives along a recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.drives import Drives
from dynid.robot.robot import Robot
from dynid.robot.servo import Servo
from dynid_plugins.servo.law import servo_law
from dynid_plugins.servo.servo_torque import held, with_servo_torque

KT, R, U, KP = 1.2116, 2.6762, 7.4, 2.656


def so101(*overrides: str) -> Robot:
    return load_robot("so101", overrides=overrides)


def moving(robot: Robot, rate: float = 50.0, effort: float = 0.0) -> Recording:
    time = np.arange(round(4 * rate) + 1) / rate
    angles = 0.3 * np.sin(2 * np.pi * 0.5 * time[:, None] + np.arange(len(robot.joints)))
    return Recording(time, angles, angles + effort, joint_names=robot.joints, sampling_rate=rate)


def test_a_blocked_servo_has_its_stall_torque_at_full_duty() -> None:
    law = servo_law(
        Servo(supply_voltage=(U,), resistance=(R,), position_gain=(KP,)),
        Drives(torque_constant=(KT,)),
        2,
    )
    output = law.output(np.array([3.0, -3.0]), np.zeros(2), np.zeros(2))
    assert law.torque(output, np.zeros(2)) == pytest.approx([KT * U / R, -KT * U / R])


def test_at_no_load_speed_full_duty_gives_no_torque() -> None:
    law = servo_law(
        Servo(supply_voltage=(U,), resistance=(R,), position_gain=(KP,)),
        Drives(torque_constant=(KT / 10,), gear_ratio=(10.0,)),
        1,
    )
    assert law.torque(np.ones(1), np.array([U / KT])) == pytest.approx(0.0, abs=1e-12)


def test_a_servo_without_resistance_has_its_gains_in_torque() -> None:
    law = servo_law(
        Servo(position_gain=(30.0,), velocity_gain=(2.0,), output_max=(7.0,)), Drives(), 1
    )
    slow = law.output(np.array([0.1]), np.zeros(1), np.array([0.5]))
    assert law.torque(slow, np.array([0.5])) == pytest.approx([30 * 0.1 - 2 * 0.5])
    assert law.output(np.ones(1), np.zeros(1), np.zeros(1)) == pytest.approx([7.0])


def test_errors_within_the_dead_zone_give_no_output() -> None:
    law = servo_law(Servo(position_gain=(1.0,), dead_zone=(0.01,), bias=(0.02,)), Drives(), 1)
    errors = np.array([[-0.0299], [-0.031], [-0.0101], [-0.009]])
    output = law.output(errors, np.zeros((4, 1)), np.zeros((4, 1)))
    assert output[:, 0] == pytest.approx([0.0, -0.011, 0.0, 0.011])


@pytest.mark.parametrize("delay", [0.0, 0.25, 1.7])
def test_held_commands_keep_their_mean_at_any_delay(delay: float) -> None:
    commands = np.array([[1.0], [1.0], [5.0], [2.0], [2.0], [2.0]])
    ticks = np.arange(51) / 10
    found = held(commands, ticks, delay)
    fine = (np.arange(51 * 1000) + 0.5) / 10_000 - 0.05 - delay
    steps = commands[np.clip(np.floor(fine).astype(int), 0, 5)]
    assert found == pytest.approx(steps.reshape(51, 1000, 1).mean(axis=1), abs=5e-3)


def test_the_torque_of_a_slow_motion_is_that_of_the_law() -> None:
    robot = so101()
    lag = 0.05
    found = with_servo_torque(moving(robot, 1000.0, lag), robot)
    time = found.time[100:-100, None]
    phase = 2 * np.pi * 0.5 * time + np.arange(6)
    velocity = 0.3 * np.pi * np.cos(phase)
    # loop and command are both held for 1 ms: their mean ages are equal, except the bin of 1 ms
    # that is centred at a sample
    expected = KT * U / R * KP * lag - KT**2 / R * velocity
    assert found.effort[100:-100] == pytest.approx(expected, abs=2e-3)


def test_positions_between_samples_count_while_a_command_is_held() -> None:
    robot = so101()
    coarse = with_servo_torque(moving(robot, 25.0, 0.05), robot)
    fine = with_servo_torque(moving(robot, 1000.0, 0.05), robot)
    # a command held for 40 ms is 20 ms old on average, one held for 1 ms half a millisecond
    time = coarse.time[:, None]
    older = np.sin(np.pi * (time - 0.0195) + np.arange(6))
    late = KT * U / R * KP * 0.3 * (np.sin(np.pi * time + np.arange(6)) - older)
    window = np.ones(20) / 20  # of 40 ms at 500 Hz

    def mean(values: np.ndarray) -> np.ndarray:
        columns = [np.convolve(one, window, "same") for one in values.T]
        return np.stack(columns, 1)[50:-50]

    assert coarse.sampling_rate == 500.0
    expected = mean(fine.effort[::2] - late)
    # the mean of a staircase over one hold is linear in between: an error of c'' T^2 / 8
    between = KT * U / R * KP * 0.3 * np.pi**2 / 25**2 / 8
    assert mean(coarse.effort) == pytest.approx(expected, abs=between)


def test_duty_and_voltage_give_the_same_torque() -> None:
    by_duty, by_voltage = so101("drives.effort=duty"), so101("drives.effort=voltage")
    recording = moving(by_duty)
    volts = replace(recording, effort=recording.effort * U)
    torque = with_servo_torque(recording, by_duty).effort
    assert with_servo_torque(volts, by_voltage).effort == pytest.approx(torque)


def test_measured_torque_is_left_alone() -> None:
    robot = load_robot("pendulum")
    recording = moving(robot)
    assert with_servo_torque(recording, robot) is recording


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["servo=null"], "needs the group 'servo'"),
        (["servo.resistance=null"], "must be given together"),
        (["servo.position_gain=[1,2]"], "has 2 values, expected 1 or 6"),
        (
            ["drives.effort=voltage", "servo.supply_voltage=null", "servo.resistance=null"],
            r"needs 'servo\.supply_voltage'",
        ),
        # nothing can be computed with these
        (["servo.position_gain=1e-300"], "position_gain': must be from 1e-09 to 1e"),
        (["servo.supply_voltage=1e308"], "supply_voltage': must be from"),
        (["servo.delay=1e308"], "delay': must be less than or equal to 10"),
        (["servo.loop_rate=1e-300"], "loop_rate': must be greater than or equal to 1"),
        (["drives.torque_constant=1e308"], "torque_constant must be from 1e-09 to"),
        (["drives.gear_ratio=1e-300"], "gear_ratio must be from 1e-09 to"),
    ],
)
def test_refuses_a_servo_that_is_not_described(overrides: list[str], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        so101(*overrides)
