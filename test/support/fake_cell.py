"""A robot cell with simulated time: the playback under test, and a robot that follows it."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

from dynid.errors import PlaybackError
from dynid.excitation.settings import SineSettings
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options
from dynid.playback.plan import Plan, make_plan
from dynid.playback.playback import Playback
from dynid.playback.robot_state import JointStateSample, StateReader
from dynid.playback.trajectory import Trajectory
from dynid.profile import load_robot
from dynid.robot.robot import Robot

HOME = (0.2, -1.2, 1.4, 0.3, -0.1, 0.4)
SINE = SineSettings(
    start=(0.0, -1.5, 1.5, 0.5, 0.0, 0.0),
    target=(0.3, -1.3, 1.2, 0.9, 0.4, -0.5),
    frequency=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    duration=1.2,
    ramp=0.4,
)


@cache
def puma(**limits: object) -> Robot:
    """The PUMA 560 with a motion of 2 s, and other limits where given."""
    robot = load_robot("puma560")
    changed = robot.limits.model_copy(update=limits)
    return robot.with_settings(SINE).model_copy(update={"limits": changed})


@cache
def sine_plan() -> Plan:
    return make_plan(puma())


class FakeClock:
    def __init__(self) -> None:
        self.time = 0.0
        self.speed = 1.0
        self.simulated = False

    def now_ns(self) -> int:
        return 1_760_000_000_000_000_000 + round(self.time * 1e9)

    def steady(self) -> float:
        return 1000.0 + self.time / self.speed


class Cell:
    """Playback and robot; the robot can be held, be late, or stop publishing."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.plan = sine_plan()
        self.options = Options()
        self.joints = self.plan.robot.joints
        self.robot = TrajectoryFollower(self.joints, HOME)
        self.reader = StateReader(self.joints, "/joint_states")
        self.playback = Playback(self.reader, self.clock, self)
        self.sent: list[Trajectory] = []
        self.starts: list[int] = []  # [ns] of each
        self.times: list[float] = []  # [s] at which it was sent
        self.states: list[str] = []
        self.listening = True
        self.silent = False
        self.hold: np.ndarray | None = None
        self.offset = np.zeros(len(self.joints))
        self.effort: np.ndarray | None = np.zeros(len(self.joints))
        self.delay_ns = 0
        self.acknowledged = False
        self.robot_now_ns = self.clock.now_ns

    def check(self) -> None:
        if not self.listening:
            raise PlaybackError("nobody listens.")

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        self.check()
        self.sent.append(trajectory)
        self.starts.append(start_ns)
        self.times.append(self.clock.time)
        with suppress(PlaybackError):  # a topic does not carry a refusal back
            self.robot.accept(trajectory, start_ns, self.robot_now_ns())

    @property
    def measured(self) -> np.ndarray:
        if self.hold is not None:
            return self.hold
        return self.robot.reference(self.robot_now_ns() - self.delay_ns) + self.offset

    def step(self) -> None:
        """A hundredth of a second."""
        self.clock.time += 0.01
        if not self.silent:
            now_ns, now = self.robot_now_ns(), self.clock.steady()
            self.playback.observe(JointStateSample(now_ns, now, self.measured, self.effort))
        self.playback.tick()
        if not self.states or self.states[-1] != self.playback.state:
            self.states.append(self.playback.state)

    def run(self, duration: float) -> None:
        for _ in range(round(duration * 100)):
            self.step()

    def way(self, duration: float) -> np.ndarray:
        """Where the robot is now and later, a row a hundredth of a second."""
        positions = [self.measured]
        for _ in range(round(duration * 100)):
            self.step()
            positions.append(self.measured)
        return np.array(positions)

    def next_sent(self) -> Trajectory:
        """The trajectory of the last command."""
        count = len(self.sent)
        self.run(0.05)
        assert len(self.sent) == count + 1
        return self.sent[-1]

    def until(self, state: str) -> None:
        for _ in range(3000):
            self.step()
            if self.playback.state.startswith(state):
                return
        raise AssertionError(f"not {state} within 30 s: {self.states}")

    def playing(self) -> Cell:
        """The same cell in the middle of the excitation."""
        self.run(0.2)
        self.playback.start(self.plan, self.options)
        self.until("playing")
        self.run(0.8)
        return self

    def resting(self) -> bool:
        """Whether the robot is at rest, and stays at rest."""
        now_ns = self.clock.now_ns()
        later = self.robot.motion([now_ns, now_ns + 10**9])
        return not later.velocity.any() and np.array_equal(*later.position)
