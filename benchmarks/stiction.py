"""Slow motion of an arm with load-dependent stick-slip, with and without stiction compensation.

    python benchmarks/stiction.py [--cycles 1000000] [--seed 0]

One joint of 2 kg at 0.5 m under TorqueLaw at 1 kHz, stretched, with 8 to 9.8 N m of gravity. Its
true friction is that of a gear under load as measured at a shoulder of the same size: static 0.3 N
m and 0.26 of the load, falling to 0.3 N m and 0.04 of it with a Stribeck velocity of 0.12 rad/s,
which no term of the model has in this form. The model has Coulomb friction with a part that grows
with load, of the static size, times 0.6, 1 and 1.4. Feedback has a delay of 2 ms, an encoder of
16 bit and a velocity of its differences, filtered over 5 ms.

Stairs are the largest changes of the position error within 0.3 s in slow ramps at constant speed.
The last columns are of motions with random pauses over `--cycles` cycles: how far the joint moved
in all cycles more than a second after the reference came to rest. A limit cycle would show there.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.torque_mode import torque_law
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings, FeedforwardSettings

RATE = 1000.0  # [Hz]
MASS, LENGTH, INERTIA = 2.0, 0.5, 0.52
STATIC = (0.3, 0.26)  # [N m], and per N m of load
SLIDING = (0.3, 0.04)
STRIBECK = 0.12  # [rad/s]
STEPS = 4  # of the integration in a cycle
RESOLUTION = 2 * np.pi / 2**16  # [rad]
DELAY = 2  # [cycles]
FILTER = 0.2  # of differences of positions, per cycle
BANDWIDTH_HZ, DAMPING_RATIO = 3.0, 0.15  # of the position loop
STRETCHED = -0.6  # [rad] from the horizontal, downwards

URDF = f"""<robot name="shoulder"><link name="base"/><link name="arm"><inertial>
<origin xyz="{LENGTH} 0 0"/><mass value="{MASS}"/>
<inertia ixx="0.001" iyy="{INERTIA - MASS * LENGTH**2}" izz="{INERTIA - MASS * LENGTH**2}"
 ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="3" effort="60"/></joint></robot>
"""
SLIP = 0.3  # [s] longer than a slip takes
PROFILE = """robot: shoulder
urdf: shoulder.urdf
joints: [shoulder]

terms: [coulomb, coulomb_load]
limits: {velocity: 3.0, acceleration: 20.0, torque_max: 40.0}
"""


@dataclass
class Shoulder:
    """The true joint."""

    position: float = STRETCHED
    velocity: float = 0.0
    past: list[tuple[float, float, float]] = field(default_factory=list)
    counted: float = 0.0
    rate: float = 0.0

    def gravity(self) -> float:
        """Return the torque that holds it [N m]."""
        return -MASS * 9.81 * LENGTH * float(np.cos(self.position))

    def step(self, torque: float) -> None:
        """Move for one cycle; friction takes what stops the joint, up to its level."""
        dt = 1 / RATE / STEPS
        for _ in range(STEPS):
            load = abs(self.gravity())
            free = self.velocity + dt / INERTIA * (torque - self.gravity())
            share = np.exp(-((free / STRIBECK) ** 2))
            still, slides = (level[0] + level[1] * load for level in (STATIC, SLIDING))
            slows = dt / INERTIA * (slides + (still - slides) * share)
            self.velocity = np.sign(free) * max(0.0, abs(free) - slows)
            self.position += dt * self.velocity
        counted = round(self.position / RESOLUTION) * RESOLUTION
        self.rate += FILTER * ((counted - self.counted) * RATE - self.rate)
        self.counted = counted
        self.past.append((counted, self.rate, torque))

    def feedback(self) -> _core.Feedback:
        """Return what was measured some cycles ago."""
        if len(self.past) > DELAY:
            del self.past[: -DELAY - 1]
            return _core.Feedback(*(np.array([value]) for value in self.past[0]))
        return _core.Feedback(np.array([self.position]), np.zeros(1), np.zeros(1))


def arm(folder: Path) -> Robot:
    """Return the robot of the benchmark."""
    (folder / "shoulder.urdf").write_text(URDF, "utf-8")
    (folder / "shoulder.yaml").write_text(PROFILE, "utf-8")
    robot = load_robot(folder / "shoulder.yaml")
    loops = TorqueControlSettings(
        bandwidth_hz=(BANDWIDTH_HZ,),
        damping_ratio=(DAMPING_RATIO,),
        position_error_max=None,
        feedback_delay=DELAY / RATE,
    )
    return robot.with_settings(loops).with_settings(CollisionSettings(torque_error_enable=(False,)))


def law_of(robot: Robot, factor: float, **settings: float) -> tuple[_core.TorqueLaw, Shoulder]:
    """Return the law with static friction times a factor, started at a new joint."""
    given = FeedforwardSettings.model_validate({"model_check": False, **settings})
    robot = robot.with_settings(given)
    mechanism = robot.mechanism()
    names = list(mechanism.parameter_names)
    parameters = mechanism.parameters.copy()
    parameters[names.index("Fc1")], parameters[names.index("Fl1")] = (
        factor * level for level in STATIC
    )
    law = torque_law(robot, mechanism.with_parameters(parameters), control_rate=RATE)
    joint = Shoulder()
    joint.counted = joint.position
    if not law.start(np.array([joint.position])):
        raise SystemExit("the law does not start")
    return law, joint


def follow(law: _core.TorqueLaw, joint: Shoulder, motion: Array) -> tuple[Array, Array]:
    """Return the true positions and velocities (N,) in a motion (N,)."""
    speed = np.gradient(motion, 1 / RATE)
    change = np.gradient(speed, 1 / RATE)
    reached = np.empty((2, len(motion)))
    for k, reference in enumerate(zip(motion, speed, change, strict=True)):
        law.update(_core.Reference(*(np.array([v]) for v in reference)), joint.feedback())
        joint.step(float(law.torque_command[0]))
        reached[:, k] = joint.position, joint.velocity
    if law.phase != _core.TorquePhase.following:
        raise SystemExit("the robot was stopped")
    return reached[0], reached[1]


def stairs(errors: list[Array]) -> float:
    """Return the largest change of position errors (N,) within SLIP in steady motions [rad]."""
    window = round(SLIP * RATE)
    return max(float(np.abs(part[window:] - part[:-window]).max()) for part in errors)


def ramps(speed: float) -> tuple[Array, list[slice]]:
    """Return slow motions up and down with this speed [rad/s], and where they are steady."""
    seconds = 0.15 / speed
    rise = speed * np.arange(round(seconds * RATE)) / RATE
    rest, half = np.zeros(1000), round(0.4 * len(rise))
    motion = np.concatenate([rest, rise, rest + rise[-1], rise[::-1], rest])
    back = 2000 + len(rise)
    parts = [slice(1000 + half, 1000 + len(rise)), slice(back + half, back + len(rise))]
    return STRETCHED + motion, parts


def pauses(cycles: int, seed: int) -> tuple[Array, Array]:
    """Return short moves with pauses (N,), and where the reference has rested for a second."""
    random = np.random.default_rng(seed)
    motion = [np.full(1000, STRETCHED)]
    while sum(map(len, motion)) < cycles:
        way = random.uniform(-0.03, 0.03) + 0.1 * (STRETCHED - motion[-1][-1])
        moves = max(20, round(abs(way) / random.uniform(0.005, 0.2) * RATE))
        share = (1 - np.cos(np.pi * np.arange(1, moves + 1) / moves)) / 2
        motion.append(motion[-1][-1] + way * share)
        motion.append(np.full(round(random.uniform(0.2, 4.0) * RATE), motion[-1][-1]))
    joined = np.concatenate(motion)[:cycles]
    still = np.append(0, np.cumsum(np.diff(joined) == 0))
    rested = np.zeros(cycles, dtype=bool)
    rested[1000:] = still[1000:] - still[:-1000] == 1000
    return joined, rested


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    motion, rested = pauses(given.cycles, given.seed)
    print("                    stairs [deg] (error, r.m.s.)      moved at rest")
    print("friction gain dither   0.02 rad/s     0.05 rad/s    [deg] in cycles")
    with tempfile.TemporaryDirectory() as folder:
        robot = arm(Path(folder))
        for gain, dither in ((0.0, 0.0), (1.0, 0.0), (1.0, RESOLUTION / 2)):
            for factor in (0.6, 1.0, 1.4):
                settings = {"stiction_gain": gain, "dither": dither}
                cells = [slow_motion(robot, factor, speed, settings) for speed in (0.02, 0.05)]
                _, speed = follow(*law_of(robot, factor, **settings), motion)
                moved = np.rad2deg(np.sum(np.abs(speed[rested])) / RATE)
                print(
                    f"{factor:8.1f} {gain:4.1f} {1e6 * dither:5.0f}u {cells[0]} {cells[1]}"
                    f" {moved:8.4f} {int(rested.sum())}",
                    flush=True,
                )


def slow_motion(robot: Robot, factor: float, speed: float, settings: dict[str, float]) -> str:
    """Return stairs and r.m.s. error of slow ramps [deg]."""
    motion, steady = ramps(speed)
    reached, _ = follow(*law_of(robot, factor, **settings), motion)
    errors = [(reached - motion)[part] for part in steady]
    mean = np.rad2deg(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
    return f"{np.rad2deg(stairs(errors)):6.3f} ({mean:5.3f})"


if __name__ == "__main__":
    main()
