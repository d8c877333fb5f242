"""Collisions of the simulated PUMA 560: pushes that are found, and alarms in free motion.

    python benchmarks/collision_trials.py --hours 1 --pushes 200
    python benchmarks/collision_trials.py --hours 1 --pushes 1000 --late --times-threshold 3

The model is identified from the simulated robot's excitation; the control law is that of the
profile, cycle by cycle at 1 kHz. Motion goes between random points at random speeds, of all joints
or of some, with and without pauses. A push is 30 N at the wrist against its motion, or --force, or
what gives one joint that many times its threshold by then, with --late the one raised by late
cycles.
With --late, cycles come late as under a controller_manager without a real-time kernel, and the
thread also pauses within a cycle: then the drives, the trajectory controller and the control law
measure different times.
"""

from __future__ import annotations

import argparse
import json
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import collision_settings
from dynid.control.controlled_robot import ControlledRobot
from dynid.control.tracking.trial import identified
from dynid.dynamics.pose import Pose
from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import sample
from dynid.profile import load_robot
from dynid.robot.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.dynamics.mechanism import Mechanism

WRIST = "link_5"  # whose origin is where the wrist's axes meet
FORCE = 30.0  # [N] of a push
_BURSTS = 1 / 200  # of late cycles, for each cycle
_PAUSES = 1 / 200  # between two of drives, trajectory controller and law, for each cycle
_PAUSE = (0.1, 15.0)  # [ms]
PATIENCE = 500  # [ms] until a push counts as missed
SLOWEST = 0.05  # [m/s] of the wrist that counts as motion
_STEP = 1e-4  # [rad] of each joint, for differences
RAMP = 2000  # [ms] until the model's torque is faded in
REST = 1000  # [ms] after a collision


def late_periods(random: np.random.Generator) -> Iterator[float]:
    """Yield the times between the cycles of a controller_manager, in nominal cycles.

    It wakes up to 0.3 ms late; every 0.2 s on average a burst begins, in which some ten cycles come
    up to 15 ms late. Cycles that are over when it wakes are skipped.
    """
    due, before, burst = 0.0, 0.0, 0
    while True:
        due = max(due + 1.0, np.ceil(before))
        burst = random.geometric(0.1) if random.random() < _BURSTS else max(0, burst - 1)
        late = random.uniform(0.0, 15.0) if burst and random.random() < 0.5 else 0.0
        now = due + late + min(0.3, random.exponential(0.03))
        yield now - before
        before = now


class Work:
    """A robot at work, and its clock."""

    def __init__(self, robot: Robot, model: Mechanism, seed: int, *, late: bool = False) -> None:
        self.robot = ControlledRobot(robot, seed=seed, uneven=late)
        self._periods = late_periods(np.random.default_rng(seed)) if late else repeat(1.0)
        self._pausing = np.random.default_rng(seed) if late else None
        self._paused = 0.0  # [ms] before the law in the last cycle
        settings = collision_settings(robot, control_rate=1000.0)
        raised = settings.torque_error_max + settings.reversal_boost
        self._least = raised if late else np.zeros_like(raised)
        self.longest_blind = 0.0
        self._reason = _core.InactiveReason.none
        self.left = 0  # times that the command left its reference, because cycles were too uneven
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

    def run(self, duration: int) -> int:
        """Run until a collision, or for a duration [ms]; return how long it was."""
        start = self.now
        while self.now < start + duration * 10**6:
            self.step()
            if self.robot.latched:
                break
        return (self.now - start) // 10**6

    def step(self) -> None:
        """Run one cycle."""
        cycles = max(next(self._periods), self._paused)
        self.now += round(cycles * 1e6)
        before, within = self._pause(), self._pause()
        law_cycles = cycles + before + within - self._paused
        self._paused = before + within
        self.robot.step(self.now + round(before * 1e6), cycles, law_cycles)
        law = self.robot.law
        if law is not None and law.inactive_reason != self._reason:
            self._reason = law.inactive_reason
            self.left += self._reason == _core.InactiveReason.uneven
        if law is not None and not law.latched:
            blind = law.blind_time
            longest = np.max(blind[np.isfinite(blind)], initial=0.0)
            self.longest_blind = max(self.longest_blind, float(longest))

    def _pause(self) -> float:
        """Return a pause of the thread within a cycle [ms]."""
        if self._pausing is None or self._pausing.random() > _PAUSES:
            return 0.0
        return float(self._pausing.uniform(*_PAUSE))

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
            self.step()
        self.robot.reset()
        self._at = self.robot.feedback.position.copy()

    def against_motion(self) -> Array | None:
        """The direction against the wrist's motion in its frame (3,); None where it is slow."""
        jacobian, axes = self._wrist()
        velocity = jacobian @ self.robot.reference.velocity
        speed = float(np.linalg.norm(velocity))
        return None if speed < SLOWEST else np.asarray(-axes @ velocity / speed)

    def force_at(self, times: float, direction: Array) -> float:
        """The force [N] in a direction of the wrist's frame at so many times a threshold."""
        jacobian, axes = self._wrist()
        torque = np.abs(jacobian.T @ axes.T @ direction)
        law = self.robot.law
        threshold = np.inf if law is None else law.detector.threshold
        return times / float(np.max(torque / np.maximum(threshold, self._least)))

    def _wrist(self) -> tuple[Array, Array]:
        """The wrist's Jacobian (3, n), and the axes of its frame (3, 3) in the rows."""
        position = self.robot.reference.position
        steps = _STEP * np.eye(len(position))
        poses = self._kinematics.poses(np.vstack([position, position + steps]))[:, self._body]
        turn = Pose.from_numbers(np.concatenate([np.zeros(3), poses[0, 3:]]))
        return (poses[1:, :3] - poses[0, :3]).T / _STEP, turn.apply(np.eye(3))


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


def pushes(
    work: Work, count: int, force: float = FORCE, times_threshold: float | None = None
) -> list[int | None]:
    """Return the time until each push was found [ms], None where it was not."""
    delays: list[int | None] = []
    while len(delays) < count:
        work.run(round(work.go() * work.random.uniform(0.2, 0.8)))
        direction = None if work.robot.latched else work.against_motion()
        if direction is not None:
            if times_threshold is not None:
                force = work.force_at(times_threshold, direction)
            work.robot.robot.push(WRIST, force * direction)
            delay = work.run(PATIENCE)
            delays.append(delay if work.robot.latched else None)
        work.finish()
    return delays


def main() -> None:
    """Run the trials, and print their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="puma560")
    parser.add_argument("--hours", type=float, default=1.0, help="of free motion")
    parser.add_argument("--pushes", type=int, default=200)
    parser.add_argument("--force", type=float, default=FORCE, help="of a push [N]")
    parser.add_argument("--times-threshold", type=float, help="force of a push by its torque")
    parser.add_argument("--late", action="store_true", help="cycles come late")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    arguments = parser.parse_args()
    robot = load_robot(arguments.robot, overrides=arguments.settings)
    model = identified(robot)
    free = Work(robot, model, arguments.seed, late=arguments.late)
    alarms = free_motion(free, arguments.hours)
    pushed = Work(robot, model, arguments.seed + 1, late=arguments.late)
    delays = pushes(pushed, arguments.pushes, arguments.force, arguments.times_threshold)
    found = [delay for delay in delays if delay is not None]
    print(
        json.dumps(
            {
                "hours": arguments.hours,
                "false_alarms": alarms,
                "longest_blind_s": round(free.longest_blind, 4),
                "left_reference": free.left,
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
