"""The control law's commands on the bus: bytes that a driver sends for a robot that moves."""

from __future__ import annotations

import math
import struct
from itertools import product

import numpy as np
from support.ethercat_slave import SlaveStandIn

from dynid.arrays import Array
from dynid.control.controlled_robot import ControlledRobot
from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import sample
from dynid.profile import load_robot
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import INT16_MAX
from dynid.robot.robot import Robot
from dynid.robot.slave_files import slave_files
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.true_parameters import simulated_model

STEP = 10**6  # [ns]
CYCLES = 1500
ENABLED, MODE_8 = 0x0237, 8
CONSTANT = (0.3, 0.3, -0.2, 0.1, 0.1, 0.1)  # [N m/A]
RATED = (5000.0, 5000.0, 3000.0, 1000.0, 1000.0, 1000.0)  # [mA]
GEAR = (60.0, -100.0, 50.0, 70.0, -70.0, 70.0)
COUNTS = (131072.0, 131072.0, 2.0**20, 4096.0, 4096.0, 10000.0)
MOTION = np.array([1.0, -1.0, 1.0, 0.5, 0.5, 1.0])


RATED_TORQUE = tuple(abs(k) * i * 1e-3 for k, i in zip(CONSTANT, RATED, strict=True))  # [N m]


def puma(rated_torque: tuple[float, ...]) -> Robot:
    sheet = {
        "torque_constant": list(CONSTANT),
        "rated_current_ma": list(RATED),
        "rated_torque": list(rated_torque),
        "gear_ratio": list(GEAR),
        "encoder_counts": list(COUNTS),
    }
    return load_robot("puma560", overrides=[f"drives.{name}={one}" for name, one in sheet.items()])


def unit(rated_torque: tuple[float, ...]) -> Array:
    """Return the joint torque of 1 in 0x60B2 [N m], from the data sheet."""
    return 1e-3 * np.array(rated_torque) * GEAR * np.sign(CONSTANT)


def cut_off(value: float) -> set[int]:
    """Return the digits before the point; rounding errors may make 32766 of a limit of 32767."""
    return {math.trunc(value * (1 + error)) for error in (-1e-13, 1e-13)}


def moving(robot: Robot) -> ControlledRobot:
    controlled = ControlledRobot(robot)
    controlled.use(simulated_model(robot).mechanism)
    home = SimulatedRobot(robot).home
    curve = point_to_point(home, home + 0.5 * MOTION, robot.limits, 1.0)
    controlled.accept(sample(curve, robot.joints, 100.0), 0, 10**9)
    return controlled


def on_the_bus(rated_torque: tuple[float, ...]) -> Array:
    """Compare every byte of a motion with the data sheet; return the torque offsets (N, n)."""
    robot = puma(rated_torque)
    texts = slave_files(robot.joints, robot.drives, load_drive("cia402"), 1000.0)
    slaves = [SlaveStandIn(texts[joint]) for joint in robot.joints]
    per_count = 2 * math.pi / (np.array(COUNTS) * np.array(GEAR))
    permille = unit(rated_torque)
    controlled, offsets = moving(robot), []
    assert controlled.law is not None
    for k in range(CYCLES):
        state = controlled.step(10**9 + STEP * (k + 1))
        raw = np.rint(state.position / per_count).astype(int)
        position, offset = controlled.law.position_command, controlled.law.torque_offset
        offsets.append(offset)
        for j, slave in enumerate(slaves):
            seen = slave.receive(struct.pack("<HiihHb", ENABLED, int(raw[j]), 0, 0, 0, MODE_8))
            assert abs(seen["position"] - state.position[j]) <= abs(per_count[j]) * 0.500001
            image = slave.send({"position": position[j], "effort": offset[j]})
            sent = product(cut_off(position[j] / per_count[j]), cut_off(offset[j] / permille[j]))
            assert image in [struct.pack("<Hihb", 0, *values, MODE_8) for values in sent]
    return np.array(offsets)


def test_every_byte_of_a_motion_is_that_of_the_data_sheet() -> None:
    offsets = on_the_bus(RATED_TORQUE)
    assert np.all(np.abs(offsets).max(axis=0) > 10 * np.abs(unit(RATED_TORQUE)))  # not only zeros


def test_torque_that_int16_does_not_hold_saturates_without_a_change_of_sign() -> None:
    needed = np.abs(on_the_bus(RATED_TORQUE)).max(axis=0)
    half = 0.5 * needed / (INT16_MAX * np.abs(unit(RATED_TORQUE)))
    small = tuple((np.array(RATED_TORQUE) * half).tolist())  # int16 holds half of what is needed
    offsets = on_the_bus(small)
    np.testing.assert_allclose(np.abs(offsets).max(axis=0), 0.5 * needed, rtol=1e-9)
