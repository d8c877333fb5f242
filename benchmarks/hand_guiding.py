"""Guiding simulated torque-controlled robots by hand: forces, speeds, walls and rest.

    python benchmarks/hand_guiding.py [robot ...]

Each model is identified from the simulated robot's own excitation. A hand grips the last link with
springs and dampers in all six directions, and moves in 2 s to where the link is after a turn of the
first three joints by 0.25 rad, and rests for 1 s. The table has the largest and the mean force of
the hand without (`guiding_friction: 0`) and with compensation of friction, and the largest speed of
the link; then, with the model's friction as identified, times 0.6 and 1.4: how far the link moves
in the 3 s after the hand let go while its switch is still pressed; and how far in the damped stop
where switch and hand are let go in the middle of the motion.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from dynid import _core
from dynid.arrays import Array
from dynid.control.torque_controlled_robot import TorqueControlledRobot
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.control.tracking.trial import identified
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings

ROBOTS = ("puma560", "panda", "openarm")
RATE = 1000.0  # [Hz]
STIFFNESS = np.repeat([800.0, 40.0], 3)  # of the hand [N/m], [N m/rad]
DAMPING = np.repeat([20.0, 1.0], 3)  # [N s/m], [N m s/rad]
WAY, DURATION, HOLD = 0.25, 2.0, 1.0  # [rad], [s], [s]
TURNED = 3  # joints
BENT = 0.3  # [rad] from the middle of the ranges, where arms may be stretched


@dataclass
class Hand:
    """What the hand did."""

    forces: list[float] = field(default_factory=list)  # [N]
    path: list[Array] = field(default_factory=list)  # of the link [m]

    @property
    def speed(self) -> float:
        """The largest speed of the link [m/s]."""
        steps = np.diff(np.array(self.path)[::10], axis=0)
        return float(np.linalg.norm(steps, axis=1).max() * RATE / 10)

    def way_since(self, cycle: int) -> float:
        """Return the largest distance [m] from where the link was in a cycle."""
        path = np.array(self.path)
        return float(np.linalg.norm(path[cycle:] - path[cycle], axis=1).max())


class GuidedCell:
    """A simulated robot that a hand can hold at the origin of its last link."""

    def __init__(self, robot: Robot, model: Mechanism, **settings: float) -> None:
        given = robot.settings(TorqueControlSettings).model_copy(update=settings)
        robot = robot.with_settings(given).with_settings(CollisionSettings())
        self.start = robot.limits.of_joints(len(robot.joints)).middle + BENT
        self.cell = TorqueControlledRobot(robot, model, self.start)
        self.reference = _core.Reference(
            self.start, np.zeros_like(self.start), np.zeros_like(self.start)
        )
        self.kinematics = robot.kinematics()
        self.body = self.kinematics.tool_body
        self.link = next(
            name for name, (body, _) in self.kinematics.links().items() if body == self.body
        )
        self.hand = Hand()
        self.rest(200)

    def place(self, position: Array | None = None) -> tuple[Array, Rotation]:
        """Return where the link's body is [m], and its orientation."""
        q = self.cell.plant.truth.position if position is None else position
        pose = self.kinematics.poses(q[None])[0, self.body]
        return pose[:3], Rotation.from_quat(pose[3:])

    def rest(self, cycles: int) -> None:
        """Let it hold itself, or rest without a hand."""
        for _ in range(cycles):
            self.cell.step(self.reference)
            self.hand.path.append(self.place()[0])

    def lead(self, cycles: int) -> None:
        """Lead the link where a turn of the first joints by WAY would bring it."""
        start = self.cell.plant.truth.position.copy()
        turn = np.zeros_like(start)
        turn[:TURNED] = WAY
        before = np.zeros(6)
        for k in range(cycles):
            share = min(1.0, k / RATE / DURATION)
            goal, to = self.place(start + (10 * share**3 - 15 * share**4 + 6 * share**5) * turn)
            here, at = self.place()
            error = np.append(goal - here, (to * at.inv()).as_rotvec())
            wrench = STIFFNESS * error + DAMPING * (error - before) * RATE
            before = error
            force, moment = (at.inv().apply(part) for part in (wrench[:3], wrench[3:]))
            self.cell.plant.push(self.link, force, moment, np.zeros(3), 0.0, 1 / RATE)
            self.cell.step(self.reference)
            self.hand.forces.append(float(np.linalg.norm(wrench[:3])))
            self.hand.path.append(here)


def with_friction(model: Mechanism, factor: float) -> Mechanism:
    """Return the model with friction times a factor."""
    parameters = model.parameters.copy()
    friction = [name.startswith("F") for name in model.parameter_names]
    parameters[friction] *= factor
    return model.with_parameters(parameters)


def led(robot: Robot, model: Mechanism, **settings: float) -> GuidedCell:
    """Return the robot after it was led, with the switch still pressed."""
    cell = GuidedCell(robot, model, **settings)
    start = cell.cell.law.guide()
    if not start:
        raise SystemExit(_core.describe_guide_start(start, robot.joints, model.prismatic))
    cell.lead(round((DURATION + HOLD) * RATE))
    return cell


def row(name: str) -> str:
    """Return a robot's figures."""
    robot = load_robot(name)
    model = identified(robot)
    cells = [f"{name:8s}"]
    without, compensated = (led(robot, model, guiding_friction=share) for share in (0.0, 0.6))
    for cell in (without, compensated):
        forces = np.array(cell.hand.forces[: round(DURATION * RATE)])
        cells.append(f"{forces.max():6.1f} {forces.mean():5.1f}")
    cells.append(f"{compensated.hand.speed:5.2f}")
    for factor in (1.0, 0.6, 1.4):
        cell = led(robot, with_friction(model, factor))
        before = len(cell.hand.path)
        cell.rest(3000)
        guided = cell.cell.law.phase == _core.TorquePhase.guided
        cells.append(f"{1e3 * cell.hand.way_since(before):6.2f}{'' if guided else ' stopped'}")
    cell = GuidedCell(robot, model)
    cell.cell.law.guide()
    cell.lead(round(DURATION * RATE / 2))
    cell.cell.law.stop()
    before = len(cell.hand.path)
    cell.rest(1500)
    held = cell.cell.law.phase == _core.TorquePhase.following
    cells.append(f"{1e3 * cell.hand.way_since(before):6.2f}{'' if held else ' not held'}")
    return " ".join(cells)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    given = parser.parse_args()
    print("robot    force [N] without   with    speed   let go [mm]: 1, 0.6, 1.4   released")
    print("           max. mean    max. mean   [m/s]      times the friction      [mm]")
    for name in given.robots:
        print(row(name), flush=True)


if __name__ == "__main__":
    main()
