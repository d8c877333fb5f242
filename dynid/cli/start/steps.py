"""The steps of the page: the command of each, and the files that show its result."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path

from dynid.robot_files import DESCRIPTIONS

_NEEDED = {
    "robot": "Choose a robot first.",
    "description": "Only for a URDF, a xacro or an MJCF; this robot has a profile.",
    "recordings": "Choose a recording for identification first.",
    "unseen": "Choose a recording for validation first: one that the model was not fitted to.",
    "model": "Identify a model first.",
    "excitation": "Find a motion first.",
    "ros2": "The command ros2 was not found; start the page in a terminal where it is.",
}
"""What a step may need, and what the user does where it is missing."""


@dataclass(frozen=True)
class StepInputs:
    """What the commands work on.

    Attributes:
        folder: for all results.
        robot: shipped robot or file; "" if none was chosen.
        recordings: for identification.
        unseen: for validation.
        has_ros: whether the command ``ros2`` exists.
    """

    folder: Path
    robot: str = ""
    recordings: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    has_ros: bool = False

    @property
    def stem(self) -> str:
        """The robot's name in names of files."""
        return Path(self.robot or "ROBOT").stem

    @property
    def model(self) -> str:
        """File of the identified model."""
        return str(self.folder / "model.yaml")

    @property
    def motion(self) -> str:
        """File of the motion that was found for this robot."""
        return str(self.folder / f"{self.stem}_excitation.yaml")

    def has(self, needed: str) -> bool:
        """Return whether something that a step needs is there."""
        if needed in {"model", "excitation"}:
            return Path(self.model if needed == "model" else self.motion).is_file()
        if needed == "description":
            return Path(self.robot).suffix.lower() in DESCRIPTIONS
        if needed == "ros2":
            return self.has_ros
        return bool(getattr(self, needed))

    def filled(self, command: str) -> list[str]:
        """Return the words of a command, with files and names in place of those in braces.

        A word with ``{motion}`` is left out if no motion was found. Words in capitals stand for
        what was not chosen yet.
        """
        found = [self.motion] if self.has("excitation") else []
        several = {
            "{recordings}": self.recordings or ("RECORDING",),
            "{unseen}": self.unseen or ("ANOTHER_RECORDING",),
        }
        one = {
            "folder": self.folder,
            "robot": self.robot or "ROBOT",
            "stem": self.stem,
            "model": self.model,
            "new_motion": self.motion,
            "new_recording": self._free_name("joint_states"),
            "recording": several["{recordings}"][0],
        }
        words: list[str] = []
        for word in command.split():
            if "{motion}" in word:
                words += (word.replace("{motion}", file) for file in found)
            else:
                words += several.get(word) or [word.format_map(one)]
        return words

    def _free_name(self, name: str) -> Path:
        """Return a file or folder that does not exist yet."""
        numbered = (self.folder / f"{name}_{number}" for number in count(1))
        return next(path for path in numbered if not path.exists())


@dataclass(frozen=True)
class StartStep:
    """A command of the page.

    Attributes:
        name: unique among all steps.
        section: heading that it is below.
        title: of its button.
        about: a sentence on what it is for.
        command: its command line, for ``StepInputs.filled``.
        needs: what must be there before, as in ``StepInputs.has``.
        results: names of files to show: those that it has written; ``{stem}`` is the robot's.
        runs: whether the page runs it. A command that may move a robot is only shown: it is for a
            terminal at the robot.
    """

    name: str
    section: str
    title: str
    about: str
    command: str
    needs: tuple[str, ...] = ("robot",)
    results: tuple[str, ...] = ()
    runs: bool = True

    def words(self, inputs: StepInputs) -> list[str]:
        """Return the command line."""
        return inputs.filled(self.command)

    def missing(self, inputs: StepInputs) -> str:
        """Return what the user does before this step; "" if nothing."""
        return next((_NEEDED[one] for one in self.needs if not inputs.has(one)), "")


STEPS = (
    StartStep(
        "view",
        "Robot",
        "Show the robot",
        "The robot in 3-D, with the motion of its profile if that has one.",
        "dynid view {robot} -o {folder}/robot.html",
        results=("robot.html",),
    ),
    StartStep(
        "profile",
        "Robot",
        "Make a profile",
        "A file with limits, drives and friction terms, to be completed in an editor where it says"
        " FILL IN. Then choose it as the robot above.",
        "dynid new {robot} -o {folder}/{stem}.yaml",
        needs=("robot", "description"),
    ),
    StartStep(
        "excite",
        "Motion",
        "Find another motion",
        "The most informative motion within the robot's limits, in place of the profile's. It is "
        "not needed where that one passes the check. Stop ends the search with the best so far.",
        "dynid excite {robot} -o {new_motion} --force",
        results=("{stem}_excitation.html",),
    ),
    StartStep(
        "check",
        "Motion",
        "Check the motion",
        "How much of each limit the motion uses, and what is not checked.",
        "dynid check {robot} {motion} -o {folder}/check.png",
        results=("check.png",),
    ),
    StartStep(
        "motion",
        "Motion",
        "Show the motion",
        "The motion that was found, in 3-D.",
        "dynid view {robot} --excitation {new_motion} -o {folder}/motion.html",
        needs=("robot", "excitation"),
        results=("motion.html",),
    ),
    StartStep(
        "simulate",
        "Recording",
        "Record the simulated robot",
        "Two motions of a simulated robot, with identification and validation: to see the whole"
        " path before the real robot moves.",
        "dynid demo {robot} -o {folder} --without-ros",
        results=("report.html", "report.failed.html"),
    ),
    StartStep(
        "listen",
        "Recording",
        "Record what the robot does",
        "/joint_states of a robot that something else moves, through the recorder of dynid, until"
        " Stop. The page moves nothing.",
        "ros2 run dynid recorder --ros-args -p start_at_once:=true -p output:={new_recording}",
        needs=("ros2",),
    ),
    StartStep(
        "play",
        "Recording",
        "Play the motion on the robot",
        "This moves the robot, so it is for a terminal beside the robot, with the emergency stop at"
        " hand (docs/ros2.md says what HARDWARE is). Its recording then appears here.",
        "ros2 launch dynid identify.launch.py robot:={robot} excitation:={motion} "
        "output:={folder} hardware:=HARDWARE",
        runs=False,
    ),
    StartStep(
        "info",
        "Recording",
        "Look at the recording",
        "What the recording holds, and what in it contradicts itself.",
        "dynid info {recording} -p {robot}",
        needs=("robot", "recordings"),
    ),
    StartStep(
        "identify",
        "Identification",
        "Identify the model",
        "Masses, inertias and friction of the robot, with the verdict on the model.",
        "dynid identify {robot} {recordings} -o {folder}",
        needs=("robot", "recordings"),
        results=("report.html", "report.failed.html"),
    ),
    StartStep(
        "diagnose",
        "Identification",
        "Search for problems",
        "Causes of a poor identification, and remedies.",
        "dynid diagnose {robot} {recordings} -o {folder}",
        needs=("robot", "recordings"),
        results=("diagnosis.html",),
    ),
    StartStep(
        "validate",
        "Verdict",
        "Validate the model",
        "Accuracy on a recording that the model was not fitted to.",
        "dynid validate {unseen} --model {model} -o {folder}",
        needs=("model", "unseen"),
        results=("validation.html", "validation.failed.html"),
    ),
    StartStep(
        "tune",
        "Collision thresholds",
        "Tune the thresholds",
        "As low as a rate of false alarms of 0.1 per hour allows, written into the model. In the"
        " recordings the robot must not touch anything.",
        "dynid collisions tune {recordings} -m {model} --into-model",
        needs=("model", "recordings"),
    ),
    StartStep(
        "test",
        "Collision thresholds",
        "Test the thresholds",
        "Every alarm on the other recording, or how near it comes to one.",
        "dynid collisions play {unseen} -m {model}",
        needs=("model", "unseen"),
    ),
    StartStep(
        "control",
        "Take away",
        "Control with the model",
        "Adds the model's torque to your trajectories; for a terminal beside the robot"
        " (docs/control.md).",
        "ros2 launch dynid control.launch.py robot:={robot} model:={model} hardware:=HARDWARE",
        needs=("robot", "model"),
        runs=False,
    ),
)
