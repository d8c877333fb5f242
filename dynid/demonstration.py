"""The complete procedure on a simulated robot in one process, without ROS.

Move to the start, play and record, identify, and validate on a second motion: with the same parts
that the nodes of dynid_ros run in separate processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.files import write_text
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.validate import Validation, validate
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options
from dynid.playback.plan import Plan, check_joint_side, make_plan, second_seed
from dynid.playback.playback import Playback
from dynid.playback.robot_state import StateReader
from dynid.playback.trajectory import Trajectory
from dynid.profile import load_robot, profile_text, write_profile
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings
from dynid.report.card import NamedInputs
from dynid.report.write import write_outputs, write_validation_outputs
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.simulation.rehearsal import rehearsal
from dynid.simulation.robot import DriveState, SimulatedRobot

STEPS = 6
"""Number of steps that a demonstration reports."""

_NOTE = "By `dynid demo`: an excitation or a simulation that was missing is derived, not measured."
_RATE = 1000  # control cycles per second [Hz]
_CYCLES_PER_TICK = 20


@dataclass(frozen=True)
class Demonstration:
    """Results; ``validation`` is None if the profile has no second motion.

    ``named`` is what commands name that go on from each result.
    """

    identification: Identification
    validation: Validation | None
    written: tuple[Path, ...]
    named: tuple[NamedInputs, ...]

    @property
    def evaluated(self) -> dict[str, tuple[Identification | Validation, NamedInputs]]:
        """Results with a verdict: ``identification``, and ``validation`` if there is one."""
        results = (self.identification, self.validation)
        pairs = zip(("identification", "validation"), results, self.named, strict=False)
        return {kind: (result, named) for kind, result, named in pairs if result is not None}

    @property
    def success(self) -> bool:
        """Whether the model passes on every motion."""
        return all(result.verdict.success for result, _ in self.evaluated.values())


@dataclass(frozen=True)
class Prepared:
    """A robot that can be simulated.

    Attributes:
        profile: its name or file.
        robot: with an excitation and a simulated robot.
        assumed: sentences on what the given profile does not have.
        written: files of the completed profile, if anything was assumed.
    """

    profile: str
    robot: Robot
    assumed: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()


def prepare(name: str, output: Path) -> Prepared:
    """Load a robot, and complete its profile by a default excitation and derived drives.

    A completed profile is written to the output folder with its URDF, as ``<robot>_simulated``,
    where its numbers can be seen and corrected.

    Raises:
        DynidError: the profile is invalid, or cannot be completed.
    """
    given = load_robot(name)
    completed = rehearsal(given)
    if not completed.assumed:
        return Prepared(name, given)
    stem = f"{given.name}_simulated"
    robot = completed.robot.model_copy(update={"urdf": f"{stem}.urdf"})
    files = tuple(output / f"{stem}{ending}" for ending in (".yaml", ".urdf"))
    output.mkdir(parents=True, exist_ok=True)
    write_text(files[1], robot.urdf_xml)
    write_profile(robot, files[0], given=profile_text(name), note=_NOTE)
    return Prepared(str(files[0]), robot, completed.assumed, files)


def run_demo(name: str, output: Path, progress: Callable[[str], None]) -> Demonstration:
    """Identify the simulated robot of a profile, and validate on a second motion.

    Args:
        name: name or file of a profile, or a URDF; completed as by :func:`prepare`.
        output: folder for bags, model and reports.
        progress: called with the name of each step when it starts.

    Raises:
        DynidError: a step fails.
    """
    prepared = prepare(name, output)
    robot = prepared.robot
    check_joint_side(robot)
    cell = _Cell(robot)
    progress("moving to the start, playing and recording the excitation")
    bag = cell.record(make_plan(robot), named(output, "recording"))
    progress("identifying")
    identification = identify(robot, load_recording(bag, robot))
    progress("writing the report")
    inputs = [NamedInputs(prepared.profile, (str(bag),), folder=output)]
    written = [*prepared.written, bag, *write_outputs(identification, output, inputs[0])]
    seed = second_seed(robot)
    if seed is None:
        return Demonstration(identification, None, tuple(written), tuple(inputs))
    progress("moving to the start, playing and recording a second motion")
    plan = make_plan(robot, seed=seed)
    bag = cell.record(plan, named(output, "validation_recording"))
    progress("validating")
    validation = validate(identification.model, load_recording(bag, robot))
    progress("writing the report")
    inputs.append(replace(inputs[0], recordings=(str(bag),)))
    written += [bag, *write_validation_outputs(validation, output, inputs[1])]
    return Demonstration(identification, validation, tuple(written), tuple(inputs))


def named(output: Path, what: str) -> Path:
    """Return a new bag folder, named by contents, time and process.

    The names of two processes that start in the same second, or after a clock is set back, differ.
    """
    name = f"{what}_{datetime.now().astimezone():%Y%m%d_%H%M%S}_{os.getpid()}"
    numbered = (output / (name if number == 1 else f"{name}_{number}") for number in count(1))
    return next(path for path in numbered if not os.path.lexists(path))


class _Cell:
    """Robot, trajectory controller, player and recorder, stepped together.

    It provides the playback with both clock and outlet.
    """

    simulated = True

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._simulated = SimulatedRobot(robot, control_rate=float(_RATE))
        self._follower = TrajectoryFollower(robot.joints, self._simulated.home)
        self._reader = StateReader(robot.joints, "the simulated robot")
        self._cycles = 0
        self._states: list[DriveState] = []
        self._links: list[Array] = []  # positions, where encoders measure them
        self._playback = Playback(self._reader, self, self)

    def now_ns(self) -> int:
        """Return simulated time [ns], used by a playback as its clock."""
        return (self._cycles + 1) * (10**9 // _RATE)

    def steady(self) -> float:
        """Return the same time [s], because nothing has to wait here."""
        return self.now_ns() * 1e-9

    def check(self) -> None:
        """Do nothing: the follower always accepts trajectories."""

    @property
    def acknowledged(self) -> bool:
        """Return True: a follower accepts or rejects immediately."""
        return True

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        """Have the robot follow a trajectory."""
        self._follower.accept(trajectory, start_ns, self.now_ns())

    def record(self, plan: Plan, folder: Path) -> Path:
        """Move to a plan's start, play it, and write the reported states to a bag.

        Raises:
            PlaybackError: the motion was rejected or aborted.
            RecordingError: the bag cannot be written.
        """
        while not self._playback.resting:
            self._step()
        self._playback.prepare(plan, Options())
        self._run("ready")
        self._states, self._links = [], []
        self._playback.start(plan, Options())
        self._run("finished")
        folder.parent.mkdir(parents=True, exist_ok=True)
        write_bag(self._recording(), folder, self._robot.settings(RecordingSettings).topic)
        return folder

    def _run(self, wanted: str) -> None:
        while self._playback.state != wanted:
            for _ in range(_CYCLES_PER_TICK):
                self._step()
            self._playback.tick()
            if self._playback.reason:
                raise PlaybackError(self._playback.reason)

    def _step(self) -> None:
        self._cycles += 1
        state = self._simulated.step(self._follower.reference(self.now_ns()))
        self._states.append(state)
        if (links := self._simulated.link_position) is not None:
            self._links.append(links)
        measured = self._reader.read(
            self._robot.joints,
            state.position.tolist(),
            state.effort.tolist(),
            self.now_ns(),
            self.steady(),
        )
        if measured is not None:
            self._playback.observe(measured)

    def _recording(self) -> Recording:
        position, velocity, effort = (np.array(part) for part in zip(*self._states, strict=True))
        return Recording(
            time=np.arange(len(position)) / _RATE,
            position=position,
            velocity=velocity,
            effort=effort,
            joint_names=self._robot.joints,
            sampling_rate=float(_RATE),
            link_position=np.array(self._links) if self._links else None,
        )
