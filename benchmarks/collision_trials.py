"""Collisions of the simulated PUMA 560: pushes that are found, and alarms in free motion.

    python benchmarks/collision_trials.py --hours 1 --pushes 200

The model is identified from the simulated robot's excitation; the control law is that of the
profile, cycle by cycle at 1 kHz. Motion goes between random points at random speeds, of all joints
or of some, with and without pauses. A push is 30 N at the wrist against its motion.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.control.controlled_robot import ControlledRobot
from dynid.control.tracking.trial import identified
from dynid.dynamics.pose import Pose
from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import sample
from dynid.profile import load_robot
from dynid.robot.robot import Robot

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism

WRIST = "link_5"  # whose origin is where the wrist's axes meet
FORCE = 30.0  # [N]
PATIENCE = 500  # [ms] until a push counts as missed
SLOWEST = 0.05  # [m/s] of the wrist that counts as motion
RAMP = 2000  # [ms] until the model's torque is faded in
REST = 1000  # [ms] after a collision


class Work:
    """A robot at work, and its clock."""

    def __init__(self, robot: Robot, model: Mechanism, seed: int) -> None:
        self.robot = ControlledRobot(robot, seed=seed)
        self.robot.use(model)
        self.random = np.random.default_rng(seed)
        self._robot = robot
        self._kinematics = robot.kinematics()
        self._body = self._kinematics.links()[WRIST][0]
        self._at = self.robot.robot.home
        self.now = 10**9
        self.run(RAMP)
        if self.robot.latched:
            self.recover()

    def run(self, cycles: int) -> int:
        """Run until a collision, or as many cycles; return how many it were."""
        for done in range(cycles):
            self.now += 10**6
            self.robot.step(self.now)
            if self.robot.latched:
                return done + 1
        return cycles

    def go(self) -> int:
        """Begin a motion, and return how many cycles it takes."""
        low, high = np.array(self._robot.limits.position).T
        goal = (low + high) / 2 + 0.35 * (high - low) * self.random.uniform(-1, 1, len(low))
        if self.random.random() < 0.5:
            goal = np.where(self.random.random(len(low)) < 0.5, self._at, goal)
        speed = self.random.uniform(0.1, 0.9)
        motion = point_to_point(self._at, goal, self._robot.limits, speed)
        self.robot.accept(sample(motion, self._robot.joints, 100.0), 0, self.now)
        self._at = goal
        return (self.robot.end_ns - self.now) // 10**6

    def finish(self) -> None:
        """Run to the end of the motion, and go on where a collision ended it."""
        self.robot.robot.release()
        self.run(max(0, self.robot.end_ns - self.now) // 10**6 + 500)
        if self.robot.latched:
            self.recover()

    def recover(self) -> None:
        """Go on after a collision, from where the robot is held."""
        for _ in range(REST):
            self.now += 10**6
            self.robot.step(self.now)
        self.robot.reset()
        self._at = self.robot.feedback.position.copy()

    def against_motion(self) -> Array | None:
        """The direction against the wrist's motion in its frame (3,); None where it is slow."""
        position, step = self.robot.reference.position, 1e-3 * self.robot.reference.velocity
        poses = self._kinematics.poses([position, position + step])[:, self._body]
        velocity = (poses[1, :3] - poses[0, :3]) / 1e-3
        speed = float(np.linalg.norm(velocity))
        if speed < SLOWEST:
            return None
        turn = Pose.from_numbers(np.concatenate([np.zeros(3), poses[0, 3:]]))
        axes = turn.apply(np.eye(3))  # of the link, in the root frame
        return np.asarray(-axes @ velocity / speed)


def free_motion(work: Work, hours: float) -> list[str]:
    """Return the false alarms in motion of that duration."""
    alarms, end = [], work.now + round(hours * 3600e9)
    while work.now < end:
        pause = round(1000 * work.random.choice([0.0, 0.05, 0.3, 1.0]))
        work.run(work.go() + pause)
        if work.robot.latched:
            alarms.append(f"{work.now * 1e-9:.1f} s: {work.robot.collision}")
            work.recover()
    return alarms


def pushes(work: Work, count: int) -> list[int | None]:
    """Return the cycles until each push was found, None where it was not."""
    delays: list[int | None] = []
    while len(delays) < count:
        work.run(round(work.go() * work.random.uniform(0.2, 0.8)))
        direction = None if work.robot.latched else work.against_motion()
        if direction is not None:
            work.robot.robot.push(WRIST, FORCE * direction)
            cycles = work.run(PATIENCE)
            delays.append(cycles if work.robot.latched else None)
        work.finish()
    return delays


def main() -> None:
    """Run the trials, and print their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="puma560")
    parser.add_argument("--hours", type=float, default=1.0, help="of free motion")
    parser.add_argument("--pushes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    arguments = parser.parse_args()
    robot = load_robot(arguments.robot, overrides=arguments.settings)
    model = identified(robot)
    alarms = free_motion(Work(robot, model, arguments.seed), arguments.hours)
    delays = pushes(Work(robot, model, arguments.seed + 1), arguments.pushes)
    found = [delay for delay in delays if delay is not None]
    print(
        json.dumps(
            {
                "hours": arguments.hours,
                "false_alarms": alarms,
                "pushes": len(delays),
                "found": len(found),
                "within_15_ms": sum(delay <= 15 for delay in found),
                "median_ms": float(np.median(found)) if found else None,
                "largest_ms": max(found, default=None),
            }
        )
    )


if __name__ == "__main__":
    main()
