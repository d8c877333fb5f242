"""Robot, trajectory controller and player in simulated time, for trials of how a robot stops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.excitation.settings import FourierSettings
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options
from dynid.playback.plan import Plan, make_plan
from dynid.playback.playback import Playback
from dynid.playback.robot_state import StateReader
from dynid.playback.trajectory import Trajectory
from dynid.profile import load_robot
from dynid.simulation.robot import SimulatedRobot

RATE = 500  # [Hz]
TICK = RATE // 50  # cycles
LONGEST_WAY = 0.02  # [s] of a message
QUEUE = 100  # joint states that wait for a suspended player
AT_REST = 0.02  # [rad/s or m/s] of the measured velocity
DURATION = 12.0  # [s] of the excitation


def twelve_second_plan(name: str) -> Plan:
    """A robot's excitation of twelve seconds."""
    excitation = FourierSettings(base_frequency=1 / DURATION, harmonics=4, periods=1, seed=7)
    return make_plan(load_robot(name).with_settings(excitation))


@dataclass
class Cell:
    """Robot, trajectory controller and player in simulated time, with messages that take time."""

    plan: Plan
    random: np.random.Generator
    options: Options = field(default_factory=Options)
    player_runs: bool = True
    robot_runs: bool = True
    acknowledged: bool = False
    simulated: bool = False

    def __post_init__(self) -> None:
        robot = self.plan.robot
        self.drives = SimulatedRobot(robot, control_rate=float(RATE))
        self.follower = TrajectoryFollower(robot.joints, self.drives.home)
        self.reader = StateReader(robot.joints, "the simulated robot")
        self.cycle = self.robot_cycle = 0
        self.to_robot: list[tuple[int, Trajectory, int]] = []
        self.to_player: list[tuple[Array, Array, int]] = []
        self.reference: list[Array] = []
        self.velocity: list[Array] = []
        self.position: list[Array] = []
        self.refused = 0
        self.playback = Playback(self.reader, self, self)

    def now_ns(self) -> int:
        """This computer's time [ns]."""
        return (self.cycle + 1) * (10**9 // RATE)

    def steady(self) -> float:
        """The same [s]."""
        return self.now_ns() * 1e-9

    def robot_now_ns(self) -> int:
        """The robot's time, which stands still while it is suspended [ns]."""
        return (self.robot_cycle + 1) * (10**9 // RATE)

    def check(self) -> None:
        """The controller is always available."""

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        """Send a message."""
        way = round(self.random.uniform(0.0, LONGEST_WAY) * RATE)
        before = self.to_robot[-1][0] if self.to_robot else 0  # none overtakes another
        self.to_robot.append((max(self.cycle + way, before), trajectory, start_ns))

    def step(self) -> None:
        """A control cycle."""
        self.cycle += 1
        if self.robot_runs:
            self._step_robot()
        if self.player_runs:
            waiting, self.to_player = self.to_player[-QUEUE:], []
            for position, effort, stamp in waiting:
                state = self.reader.read(
                    self.plan.robot.joints, list(position), list(effort), stamp, self.steady()
                )
                if state is not None:
                    self.playback.observe(state)
            if self.cycle % TICK == 0:
                self.playback.tick()

    def _step_robot(self) -> None:
        self.robot_cycle += 1
        while self.to_robot and self.to_robot[0][0] <= self.cycle:
            _, trajectory, start_ns = self.to_robot.pop(0)
            try:
                self.follower.accept(trajectory, start_ns, self.robot_now_ns())
            except PlaybackError:
                self.refused += 1
        reference = self.follower.reference(self.robot_now_ns())
        state = self.drives.step(reference)
        self.reference.append(reference)
        self.velocity.append(state.velocity)
        self.position.append(state.position)
        self.to_player.append((state.position, state.effort, self.robot_now_ns()))

    def run(self, duration: float) -> None:
        """Let time pass [s]."""
        for _ in range(round(duration * RATE)):
            self.step()

    def until(self, state: str) -> None:
        """Let time pass until the playback is in a state."""
        while self.playback.state != state:
            self.step()


def playing(plan: Plan, random: np.random.Generator) -> Cell:
    """A cell at a random moment of its excitation."""
    cell = Cell(plan, random)
    cell.run(0.2)
    cell.playback.start(plan, cell.options)
    cell.until("playing")
    cell.run(random.uniform(0.3, plan.trajectory.duration - 1.0))
    return cell
