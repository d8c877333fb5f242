"""External force without a force sensor: error, delay and link, against injected forces.

    python benchmarks/external_wrench.py [robot ...] [--pushes 40] [--seed 0] [--set key=value ...]
    python benchmarks/external_wrench.py --recording PANDA.csv --profile panda

Each robot is simulated with sensor noise, quantised encoders, dry friction and, where the profile
has it, Stribeck friction. Its model is identified from its own excitation. The uncertainty is from
four free motions between random points; contacts in a fifth one are false. Forces are injected in
further random motions over the workspace, for 0.6 s each, half of them while the robot rests: on
the tool's origin, and on random points of random links, along the surface's normal or in any
direction. Their size is up to 30 % of what torque_max can balance, at most 50 N. Estimates are
compared 0.3 to 0.6 s after the onset, without correction of their delay.

With --recording a real free motion is used: the first 50 % identify the model, the next 20 %
determine the uncertainty, and the rest, used in neither, gives the noise floor.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pinocchio

import dynid
from dynid.arrays import Array
from dynid.control.wrench.estimation import estimate, free_motion_uncertainty, wrench_of_recording
from dynid.control.wrench.external_torque import observe
from dynid.playback.motions import point_to_point
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.report.wrench import rms
from dynid.robot.shapes import robot_shapes
from dynid.simulation.robot import DriveState, SimulatedRobot

if TYPE_CHECKING:
    from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
    from dynid.robot.robot import Robot

ROBOTS = ("spatial_3r", "scara", "puma560", "ur10e", "panda")
RATE = 1000  # [Hz]
PAUSE = 1.0  # [s] of rest between motions
LENGTH = 0.6  # [s] of a push
SETTLED = 0.3  # [s] after which it is judged
LARGEST, SHARE = 50.0, 0.3  # [N], and of what torque_max balances
FREE = 4  # recordings for the uncertainty
MOVES = 10  # of each


class Push(NamedTuple):
    """A force on a link: name, point and force in its frame, onset, and whether the robot rests."""

    link: str
    point: Array
    force: Array
    onset: float
    resting: bool


class Trial:
    """A simulated robot that moves between random points, and its recording."""

    def __init__(self, robot: Robot, seed: int) -> None:
        self.robot, self.random = robot, np.random.default_rng(seed)
        self.simulated = SimulatedRobot(robot, control_rate=RATE, seed=seed)
        joints = range(len(robot.joints))
        self.low, self.high = np.array([robot.limits.range_of("position", j) for j in joints]).T
        self.at = (self.low + self.high) / 2
        self.simulated.reset(self.simulated.commanded(self.at))
        self.parts: list[DriveState] = []

    @property
    def now(self) -> float:
        """Time since the beginning [s]."""
        return sum(len(part.position) for part in self.parts) / RATE

    def targets(self) -> Array:
        """The next motion and the rest after it (N, n)."""
        middle, width = (self.low + self.high) / 2, self.high - self.low
        goal = middle + 0.35 * width * self.random.uniform(-1, 1, len(middle))
        motion = point_to_point(self.at, goal, self.robot.limits, self.random.uniform(0.1, 0.6))
        self.at = goal
        time = np.arange(round((motion.duration + PAUSE) * RATE)) / RATE
        position = motion.evaluate(np.minimum(time, motion.duration)).position
        return self.simulated.commanded(position)

    def run(self, targets: Array) -> None:
        """Run as many cycles as there are targets."""
        self.parts.append(self.simulated.run(targets))

    def recording(self) -> Recording:
        """What was recorded until now."""
        if self.simulated.fault:
            raise SystemExit(f"{self.robot.name}: {self.simulated.fault}")
        position, velocity, effort = (
            np.concatenate([getattr(part, name) for part in self.parts])
            for name in ("position", "velocity", "effort")
        )
        time = np.arange(len(position)) / RATE
        return Recording(
            time,
            position,
            effort,
            velocity=velocity,
            joint_names=self.robot.joints,
            sampling_rate=float(RATE),
        )


class Pusher:
    """Random pushes on a robot's links."""

    def __init__(self, robot: Robot, random: np.random.Generator) -> None:
        self.random, self.robot = random, robot
        self.kinematics = robot.kinematics()
        self.shapes = robot_shapes(self.kinematics)
        self.links = {body: name for name, (body, _) in reversed(self.kinematics.links().items())}
        self.bodies = [body for body in self.kinematics.moving_bodies if self.shapes[body]]
        self.data = self.kinematics.model.createData()
        self.limit = np.broadcast_to(robot.limits.torque_max or np.inf, len(robot.joints))

    def on_tool(self, q: Array) -> tuple[str, Array, Array]:
        """A force of any direction at the tool's origin."""
        direction = self.direction()
        name = self.kinematics.tool
        return name, np.zeros(3), self.size(name, np.zeros(3), direction, q) * direction

    def on_link(self, q: Array) -> tuple[str, Array, Array]:
        """A force on a random point of the surface of a random link."""
        body = self.bodies[self.random.integers(len(self.bodies))]
        point, normal = self.surface(body)
        direction = -normal if self.random.random() < 0.5 else self.direction()
        name = self.links[body]
        return name, point, self.size(name, point, direction, q) * direction

    def direction(self) -> Array:
        """A random unit vector."""
        vector = self.random.normal(size=3)
        return np.asarray(vector / np.linalg.norm(vector))

    def surface(self, body: int) -> tuple[Array, Array]:
        """A random point of a body's surface and the normal there, in the body's frame."""
        areas = [_area(shape.kind, np.array(shape.size)) for shape in self.shapes[body]]
        chosen = self.random.choice(len(areas), p=np.array(areas) / sum(areas))
        shape = self.shapes[body][chosen]
        point, normal = _on_surface(shape.kind, np.array(shape.size), self.random)
        pose = shape.pose.matrix()
        return pose[:3, :3] @ point + pose[:3, 3], pose[:3, :3] @ normal

    def size(self, link: str, point: Array, direction: Array, q: Array) -> float:
        """A size of the force, logarithmic within a factor of ten, that the drives can hold."""
        model, data = self.kinematics.model, self.data
        (full,) = self.kinematics.full_positions(q[np.newaxis])
        frame = model.getFrameId(link)
        local = pinocchio.ReferenceFrame.LOCAL
        jacobian = pinocchio.computeFrameJacobian(model, data, full, frame, local)
        wrench = np.concatenate([direction, np.cross(point, direction)])
        torque = np.abs(wrench @ jacobian)
        columns = [model.joints[k].idx_v for k in self.kinematics.joint_bodies]
        largest = SHARE * np.min(self.limit / np.maximum(torque[columns], 1e-9))
        return float(min(LARGEST, largest) * 10 ** -self.random.random())


def _area(kind: str, size: Array) -> float:
    if kind == "sphere":
        return float(np.pi * size[0] ** 2)
    if kind == "cylinder":
        return float(np.pi * size[0] * (size[2] + size[0] / 2))
    return float(2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]))


def _on_surface(kind: str, size: Array, random: np.random.Generator) -> tuple[Array, Array]:
    if kind == "sphere":
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        return size[0] / 2 * normal, normal
    if kind == "cylinder":
        radius, length = size[0] / 2, size[2]
        angle = random.uniform(0, 2 * np.pi)
        around = np.array([np.cos(angle), np.sin(angle), 0.0])
        if random.random() < length / (length + radius):
            return radius * around + [0, 0, random.uniform(-0.5, 0.5) * length], around
        end = np.array([0.0, 0.0, random.choice([-1.0, 1.0])])
        return radius * np.sqrt(random.random()) * around + length / 2 * end, end
    area = size.prod() / size
    axis = random.choice(3, p=area / area.sum())
    normal = random.choice([-1.0, 1.0]) * np.eye(3)[axis]
    point = random.uniform(-0.5, 0.5, 3) * size
    point[axis] = normal[axis] * size[axis] / 2
    return point, normal


def free_motion(robot: Robot, seed: int) -> Recording:
    """Return motion between random points without contact."""
    trial = Trial(robot, seed)
    for _ in range(MOVES):
        trial.run(trial.targets())
    return trial.recording()


def pushed_motion(
    robot: Robot, count: int, seed: int, on_tool: bool
) -> tuple[Recording, list[Push]]:
    """Return motion with one push in each move or rest after it."""
    trial = Trial(robot, seed)
    pusher = Pusher(robot, trial.random)
    coupling = np.linalg.inv(trial.simulated.commanded(np.eye(len(robot.joints))))
    pushes = []
    for number in range(count):
        targets, resting = trial.targets(), number % 2 == 1
        moving = len(targets) - round(PAUSE * RATE)
        room = moving - round(LENGTH * RATE)
        start = moving + 200 if resting else int(max(room, 1) * trial.random.uniform(0.2, 0.8))
        trial.run(targets[:start])
        q = trial.parts[-1].position[-1] @ coupling
        link, point, force = pusher.on_tool(q) if on_tool else pusher.on_link(q)
        pushes.append(Push(link, point, force, trial.now, resting))
        trial.simulated.push(link, force, point=point, duration=LENGTH)
        trial.run(targets[start:])
    return trial.recording(), pushes


def tool_rows(
    model: dynid.Model, uncertainty: ExternalTorqueUncertainty, count: int, seed: int
) -> dict[str, Any]:
    """Return errors of the force at the tool, coverage and delay."""
    robot = model.robot
    recording, pushes = pushed_motion(robot, count, seed, on_tool=True)
    observed = observe(model, recording, gain=uncertainty.observer_gain)
    errors: dict[bool, list[Array]] = {False: [], True: []}
    sizes: dict[bool, list[float]] = {False: [], True: []}
    scores: dict[str, list[Array]] = {"pure force": [], "wrench": []}
    rises, alarms = [], []
    found_in: dict[bool, list[bool]] = {False: [], True: []}
    for push in pushes:
        span = observed.between(push.onset, push.onset + LENGTH)
        found = estimate(model, span, uncertainty)
        time = span.time - push.onset
        late = time >= SETTLED
        error = found.frame_force[late] - push.force
        errors[push.resting].append(np.linalg.norm(error, axis=1))
        sizes[push.resting].append(float(np.linalg.norm(push.force)))
        scores["pure force"].append(_normalised(error, found.frame_force_covariance[late]))
        full = found.wrench[late] - np.concatenate([push.force, np.zeros(3)])
        scores["wrench"].append(_normalised(full, found.wrench_covariance[late]))
        along = found.frame_force @ push.force / (push.force @ push.force)
        risen = np.flatnonzero(along > 1 - np.exp(-1))
        if len(risen):
            rises.append(1e3 * float(time[risen[0]]))
        found_in[push.resting].append(bool(found.contact.any()))
        if found.contact.any():
            alarms.append(1e3 * float(time[np.argmax(found.contact)]))
    return {
        "detected": _detected(found_in),
        "ms until detected (median)": _median(alarms),
        "ms until 63 % (median)": _median(rises),
        **{
            f"{name}: median error [N] of forces of median size [N]": (
                f"{_round(np.nanmedian(np.concatenate(errors[rest])))} of "
                f"{_round(np.median(sizes[rest]))}"
            )
            for name, rest in (("moving", False), ("resting", True))
        },
        **{f"{name}: within 2 sd": _within(parts) for name, parts in scores.items()},
    }


def link_rows(
    model: dynid.Model, uncertainty: ExternalTorqueUncertainty, count: int, seed: int
) -> tuple[dict[str, Any], Array, tuple[str, ...]]:
    """Return how links were judged, and the confusion table (links, links + 2)."""
    recording, pushes = pushed_motion(model.robot, count, seed, on_tool=False)
    observed = observe(model, recording, gain=uncertainty.observer_gain)
    kinds = dict.fromkeys(("named rightly", "named wrongly", "undecided", "excluded"), 0)
    found_in: dict[bool, list[bool]] = {False: [], True: []}
    table, scores, sizes = np.zeros((0, 0), dtype=int), [], []
    names: tuple[str, ...] = ()
    likely_right = 0
    for push in pushes:
        found = estimate(model, observed.between(push.onset, push.onset + LENGTH), uncertainty)
        if not names:
            names = found.links
            table = np.zeros((len(names), len(names) + 2), dtype=int)
        row = names.index(push.link)
        found_in[push.resting].append(bool(found.contact.any()))
        if not found.contact.any():
            table[row, -1] += 1
            continue
        contact = max(found.contacts, key=lambda one: one.distance)
        likely_right += contact.links[0] == push.link
        if contact.distinguished:
            right = contact.links[0] == push.link
            kinds["named rightly" if right else "named wrongly"] += 1
            table[row, names.index(contact.links[0])] += 1
        else:
            kinds["undecided" if push.link in contact.links else "excluded"] += 1
            sizes.append(len(contact.links))
            table[row, -2] += 1
        last = len(found.time) - 1
        likely = int(np.argmax(found.probability[last]))
        if names[likely] == push.link:
            error = found.force[last:] - push.force
            scores.append(_normalised(error, found.force_covariance[last:]))
    count = max(1, sum(kinds.values()))
    shares = {f"link, {name}": f"{100 * value / count:.0f} %" for name, value in kinds.items()}
    detected = {"detected on any link": _detected(found_in)}
    shares["most probable link is the right one"] = f"{100 * likely_right / count:.0f} %"
    shares["links named if undecided (mean)"] = _round(float(np.mean(sizes))) if sizes else ""
    within = {"contact force on the right link: within 2 sd": _within(scores)}
    return {**detected, **shares, **within}, table, names


def _normalised(error: Array, covariance: Array) -> Array:
    """Return errors over their standard deviations, those of observable components."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    known = np.isfinite(error)
    return np.asarray(error[known] / deviation[known])


def _within(scores: list[Array]) -> str:
    values = np.concatenate(scores) if scores else np.zeros(0)
    return f"{100 * np.mean(np.abs(values) < 2):.1f} %" if len(values) else "not observable"


def _detected(found_in: dict[bool, list[bool]]) -> str:
    return ", ".join(
        f"{name} {sum(found_in[rest])} of {len(found_in[rest])}"
        for name, rest in (("moving", False), ("resting", True))
    )


def _median(values: list[float]) -> str:
    return f"{np.median(values):.0f}" if values else ""


def _round(value: float) -> str:
    return f"{value:.2g}"


def trials(name: str, pushes: int, seed: int, overrides: list[str]) -> None:
    """Print the results of a simulated robot."""
    robot = load_robot(name, overrides=overrides)
    model = dynid.identify(robot, dynid.simulate(robot, seed=seed)).model
    seeds = np.random.SeedSequence(seed).generate_state(FREE + 3).tolist()
    free = [free_motion(robot, one) for one in seeds[:FREE]]
    uncertainty = free_motion_uncertainty(model, free)
    held_out = observe(model, free_motion(robot, seeds[FREE]), gain=uncertainty.observer_gain)
    still = estimate(model, held_out, uncertainty)
    deviation = np.sqrt(np.diagonal(still.torque_covariance, axis1=1, axis2=2))
    rows = {
        "free motion: false contacts": f"{len(still.contacts)} in {held_out.seconds:.0f} s",
        "free motion: median of the size of pure force [N]": _round(
            np.nanmedian(np.linalg.norm(still.frame_force, axis=1))
        ),
        "free motion: torque within 2 sd": (
            f"{100 * np.mean(np.abs(still.torque) < 2 * deviation):.1f} %"
        ),
        **tool_rows(model, uncertainty, pushes, seeds[FREE + 1]),
    }
    links, table, names = link_rows(model, uncertainty, pushes, seeds[FREE + 2])
    print(f"\n{name}")
    for key, value in {**rows, **links}.items():
        print(f"  {key}: {value}")
    print(f"  true link -> named, {', '.join(names)}, cannot be distinguished, missed")
    for link, counts in zip(names, table, strict=True):
        print(f"    {link}: {' '.join(map(str, counts))}")


def noise_floor(path: str, profile: str, overrides: list[str]) -> None:
    """Print the noise floor of a recording of free motion."""
    robot = load_robot(profile, overrides=overrides)
    whole = dynid.load_recording(path, robot)
    end = float(whole.time[-1] - whole.time[0])
    parts = [(0.0, 0.5 * end), (0.5 * end, 0.7 * end), (0.7 * end, None)]
    fit, free, rest = (dynid.load_recording(path, robot, start=a, stop=b) for a, b in parts)
    model = dynid.identify(robot, fit).model
    print(f"{path}: fit {0.5 * end:.1f} s, uncertainty {0.2 * end:.1f} s, rest {0.3 * end:.1f} s")
    for zero_phase in (False, True):
        uncertainty = free_motion_uncertainty(model, [free], zero_phase=zero_phase)
        found = wrench_of_recording(model, rest, uncertainty, zero_phase=zero_phase)
        print("zero-phase filters" if zero_phase else "measured velocity, as in a controller")
        for name, values, covariance in (
            ("wrench", found.wrench, found.wrench_covariance),
            ("pure force", found.frame_force, found.frame_force_covariance),
        ):
            within = _within([_normalised(values, covariance)])
            print(
                f"  {name} at {found.frame}: rms {_list(rms(values))}, "
                f"median {_list(np.nanmedian(np.abs(values), axis=0))}, within 2 sd {within}"
            )
        print(f"  false contacts: {len(found.contacts)}")


def _list(values: Array) -> str:
    return ", ".join(f"{value:.2g}" for value in values)


def main() -> None:
    """Run the robots named on the command line, or a recording."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--pushes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--recording", help="of free motion, instead of simulated robots")
    parser.add_argument("--profile", default="panda", help="of that recording")
    options = parser.parse_args()
    if options.recording is not None:
        noise_floor(options.recording, options.profile, options.overrides)
        return
    for name in options.robots:
        trials(name, options.pushes, options.seed, options.overrides)


if __name__ == "__main__":
    main()
