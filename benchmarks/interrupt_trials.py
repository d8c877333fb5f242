"""Ctrl-C to a whole process group at random times: does it stop, and what remains?

``python benchmarks/interrupt_trials.py``: ``identify``, ``replay`` and ``control`` (a player moves
a robot that has its model), ten times each, as processes of the nodes; with ``--launch`` by
``ros2 launch``. The moments are drawn from ``--seed``: in one trial of five soon after the
processes were begun, in the others after the first step of the task or motion.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rclpy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.load import read_samples
from dynid.simulation.simulate import simulate
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.executor import make_executor
from dynid_ros.qos import LATCHED, MONITORED

ROBOT = "puma560"
SHORT = Path(__file__).parents[1] / "test" / "launch" / "short_excitation.yaml"
MODES = ("identify", "replay", "control")
RESTS = 0.02  # [rad/s], more than the noise of the sensors
LONGEST = 120.0  # [s] for a process to begin, or to end
SPAN = {"identify": 8.0, "replay": 8.0, "control": 5.0}  # [s] after the first step: the signal
EARLY = (0.2, 2.0)  # [s] after the start: the signal
# enters a process group and becomes a command: Popen has process_group from Python 3.11 on
JOINED = "import os, sys; os.setpgid(0, int(sys.argv[1])); os.execvp(sys.argv[2], sys.argv[2:])"


@dataclass(frozen=True)
class Moment:
    """Time of a signal: [s] after the start of the processes, or after the first step."""

    early: bool
    after: float

    def __str__(self) -> str:
        return f"{self.after:.2f} s after the {'start' if self.early else 'first step'}"


@dataclass(frozen=True)
class Outcome:
    """How one trial ended."""

    moment: Moment
    state: str
    speed: float
    bags: int
    whole: int
    left: int
    seconds: float
    codes: dict[str, int]
    message: str

    @property
    def moving(self) -> bool:
        """Whether the robot was not at rest when it was last seen; NaN where there is none."""
        return self.speed > RESTS

    def line(self) -> str:
        """Everything in one line."""
        codes = " ".join(f"{name}={code}" for name, code in self.codes.items())
        return (
            f"{self.moment} ({self.state or 'no motion'}): {self.speed:.4f} rad/s, "
            f"{self.whole} of {self.bags} bags whole, {self.left} left, ended in "
            f"{self.seconds:.1f} s; {codes}; {self.message}"
        )


class Watcher:
    """Receives the robot's states, and the player's messages."""

    def __init__(self) -> None:
        """Listen."""
        rclpy.init()
        self.node = rclpy.create_node("watcher")
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.forget()
        self.node.create_subscription(JointState, "/joint_states", self._take, MONITORED)
        self.node.create_subscription(String, "/excitation_player/state", self._hear, LATCHED)
        for task in ("identification_task", "replay_task"):
            self.node.create_subscription(String, f"/{task}/progress", self._progress, LATCHED)
        self._start = self.node.create_client(Trigger, "/excitation_player/start")

    def forget(self) -> None:
        """Begin anew."""
        self.speed = 0.0
        self.state = self.step = ""

    def until(self, condition: Callable[[], object], longest: float) -> bool:
        """Listen until something holds; False where it does not in time."""
        deadline = time.monotonic() + longest
        while not condition():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.02)
        return True

    def wait(self, duration: float) -> None:
        """Listen for a while [s]."""
        self.until(lambda: False, duration)

    def play(self) -> None:
        """Start the player; its answer is ignored."""
        self._start.call_async(Trigger.Request())

    @property
    def can_play(self) -> bool:
        """Whether the player waits for somebody to start it."""
        return self.state == "idle" and bool(self._start.service_is_ready())

    def _take(self, message: JointState) -> None:
        self.speed = max(map(abs, message.velocity))

    def _hear(self, message: String) -> None:
        self.state = message.data

    def _progress(self, message: String) -> None:
        self.step = message.data


def node(name: str, **parameters: object) -> list[str]:
    """The command of a node with parameters."""
    given = [
        word for key, one in parameters.items() for word in ("-p", f"{key}:={json.dumps(one)}")
    ]
    program = [sys.executable, "-m", "dynid_ros.programs", name]
    return [*program, "--ros-args", *given] if given else program


def commands(mode: str, folder: Path, bag: Path, model: Path) -> dict[str, list[str]]:
    """The nodes of a mode."""
    robot = {"profile": ROBOT}
    player = node("excitation_player", **robot, excitation=str(SHORT))
    out = str(folder / "out")
    if mode == "identify":
        return {
            "robot": node("simulated_robot", **robot),
            "player": player,
            "recorder": node("recorder"),
            "identifier": node("identifier", **robot),
            "publisher": node("model_publisher", **robot),
            "task": node("identification_task", output=out, validation_seed=-1),
        }
    if mode == "replay":
        task = node("replay_task", recording=str(bag), output=out)
        return {"identifier": node("identifier", **robot), "task": task}
    return {
        "robot": node("simulated_robot", **robot, feedforward=True),
        "publisher": node("model_publisher", **robot, model=str(model)),
        "player": player,
    }


def launched(mode: str, folder: Path, bag: Path, model: Path) -> dict[str, list[str]]:
    """The same by launch files."""
    given = {
        "identify": [f"excitation:={SHORT}", "validation_seed:=-1", f"output:={folder / 'out'}"],
        "replay": [f"recording:={bag}", f"output:={folder / 'out'}"],
        "control": [f"model:={model}"],
    }
    launch = {"launch": ["ros2", "launch", "dynid", f"{mode}.launch.py", *given[mode]]}
    if mode == "control":
        player = ["ros2", "run", "dynid", "excitation_player", "--ros-args"]
        for key, one in (("profile", ROBOT), ("excitation", str(SHORT))):
            player += ["-p", f"{key}:={one}"]
        launch["player"] = player
    return launch


def trial(
    watcher: Watcher, mode: str, group: dict[str, list[str]], folder: Path, moment: Moment
) -> Outcome:
    """Start a group, signal it at a given time, and check what remains.

    Args:
        watcher: listens.
        mode: one of MODES.
        group: the commands of its processes.
        folder: where it writes.
        moment: of the signal.
    """
    watcher.forget()
    group_id = os.posix_spawnp("sleep", ["sleep", "infinity"], os.environ, setpgroup=0)  # keeps it
    with (folder / "log.txt").open("wb") as log:
        processes = {
            name: subprocess.Popen(
                [sys.executable, "-c", JOINED, str(group_id), *command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
            for name, command in group.items()
        }
    try:
        if not moment.early:
            watcher.until(lambda: watcher.step or (mode == "control" and watcher.can_play), LONGEST)
            if mode == "control":
                watcher.play()
        watcher.wait(moment.after)
        state = f"{watcher.step}; player {watcher.state}" if watcher.step else watcher.state
        os.killpg(group_id, signal.SIGINT)
        signalled = time.monotonic()
        os.waitpid(group_id, 0)
        watcher.until(lambda: all(p.poll() is not None for p in processes.values()), LONGEST)
        seconds = time.monotonic() - signalled
    finally:
        left = remaining(folder)
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    bags = [path for path in (folder / "out").glob("recording_*") if path.is_dir()]
    codes = {name: process.wait() for name, process in processes.items()}
    lines = (folder / "log.txt").read_text(errors="replace").splitlines()
    message = next((line.rpartition("dynid: ")[2] for line in lines if "dynid: " in line), "")
    complete = sum(map(whole, bags))
    speed = math.nan if mode == "replay" else watcher.speed  # its joint states are the bag's
    return Outcome(moment, state, speed, len(bags), complete, len(left), seconds, codes, message)


def whole(bag: Path) -> bool:
    """Whether a bag was closed, and reads without repairs."""
    try:
        samples = read_samples(bag, load_robot(ROBOT).joints)
    except DynidError:
        return False
    return (bag / "metadata.yaml").is_file() and not samples.repairs


def remaining(folder: Path) -> list[int]:
    """Processes of the trial that still run: its folder is in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and str(folder).encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def prepare(folder: Path) -> tuple[Path, Path]:
    """A bag and a model of the robot."""
    robot = load_robot(ROBOT)
    recording = simulate(robot, make_plan(robot, excitation=SHORT).excitation)
    write_bag(recording, folder / "bag")
    identify(robot, recording).model.save(folder / "model.yaml")
    return folder / "bag", folder / "model.yaml"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the trials of each mode, and print a line for each, then the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--launch", action="store_true", help="by ros2 launch")
    enter_own_domain()
    options = parser.parse_args(arguments)
    if options.launch and shutil.which("ros2") is None:
        sys.exit("there is no ros2 here; source its setup.bash first.")
    random = np.random.default_rng(options.seed)
    watcher = Watcher()
    with tempfile.TemporaryDirectory(prefix="dynid-trials-") as name:
        bag, model = prepare(Path(name))
        for mode in options.modes:
            outcomes = []
            for number in range(options.trials):
                folder = Path(name) / f"{mode}_{number}"
                folder.mkdir()
                os.environ["DYNID_TRIAL"] = str(folder)
                make = launched if options.launch else commands
                early = number % 5 == 0
                moment = Moment(early, random.uniform(*(EARLY if early else (0.0, SPAN[mode]))))
                group = make(mode, folder, bag, model)
                outcomes.append(trial(watcher, mode, group, folder, moment))
                print(f"{mode}: {outcomes[-1].line()}", flush=True)
            print(summary(mode, outcomes), flush=True)


def summary(mode: str, outcomes: Sequence[Outcome]) -> str:
    """Results of the trials of a mode."""
    codes = Counter(f"{name}={code}" for one in outcomes for name, code in one.codes.items())
    moving, left = sum(one.moving for one in outcomes), sum(one.left for one in outcomes)
    bags = f"{sum(one.whole for one in outcomes)} of {sum(one.bags for one in outcomes)}"
    return (
        f"{mode}: {len(outcomes)} interrupted; still moving at the end {moving}; bags whole "
        f"{bags}; processes left {left}; longest end {max(one.seconds for one in outcomes):.1f} s; "
        "exit codes " + ", ".join(f"{code} ×{count}" for code, count in sorted(codes.items()))
    )


if __name__ == "__main__":
    main()
