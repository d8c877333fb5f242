"""The steps of the page: the command of each, and the files that show its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    def named_robot(self) -> str:
        """The robot, or the word that stands for it."""
        return self.robot or "ROBOT"

    @property
    def fitted(self) -> tuple[str, ...]:
        """The recordings for identification, or the word that stands for them."""
        return self.recordings or ("RECORDING",)

    @property
    def others(self) -> tuple[str, ...]:
        """The recordings for validation, or the word that stands for them."""
        return self.unseen or ("ANOTHER_RECORDING",)

    @property
    def model(self) -> str:
        """File of the identified model."""
        return self.file("model.yaml")

    @property
    def stem(self) -> str:
        """The robot's name in names of files."""
        return Path(self.named_robot).stem

    @property
    def motion(self) -> str:
        """File of the motion that was found for this robot."""
        return self.file(f"{self.stem}_excitation.yaml")

    @property
    def excitation(self) -> tuple[str, ...]:
        """The motion that was found, if one was."""
        return (self.motion,) if self.has("excitation") else ()

    def file(self, name: str) -> str:
        """Return a file in the folder."""
        return str(self.folder / name)

    def has(self, needed: str) -> bool:
        """Return whether something that a step needs is there."""
        if needed in {"model", "excitation"}:
            return Path(self.model if needed == "model" else self.motion).is_file()
        if needed == "description":
            return Path(self.robot).suffix.lower() in DESCRIPTIONS
        if needed == "ros2":
            return self.has_ros
        return bool(getattr(self, needed))

    def free_name(self, name: str) -> str:
        """Return a file or folder that does not exist yet."""
        number = 1
        while (self.folder / f"{name}_{number}").exists():
            number += 1
        return self.file(f"{name}_{number}")


@dataclass(frozen=True)
class StartStep:
    """A command of the page.

    Attributes:
        name: unique among all steps.
        section: heading that it is below.
        title: of its button.
        about: a sentence on what it is for.
        words: its command line.
        needs: what must be there before, as in ``StepInputs.has``.
        results: names of files to show: those that it has written; ``{stem}`` is the robot's.
        runs: whether the page runs it. A command that may move a robot is only shown: it is for a
            terminal at the robot.
    """

    name: str
    section: str
    title: str
    about: str
    words: Callable[[StepInputs], list[str]]
    needs: tuple[str, ...] = ("robot",)
    results: tuple[str, ...] = ()
    runs: bool = True

    def missing(self, inputs: StepInputs) -> str:
        """Return what the user does before this step; "" if nothing."""
        return next((_NEEDED[one] for one in self.needs if not inputs.has(one)), "")


def _launched(inputs: StepInputs, file: str, *arguments: str) -> list[str]:
    return ["ros2", "launch", "dynid", file, f"robot:={inputs.named_robot}", *arguments]


STEPS = (
    StartStep(
        "view",
        "Robot",
        "Show the robot",
        "The robot in 3-D, with the motion of its profile if that has one.",
        lambda given: ["dynid", "view", given.named_robot, "-o", given.file("robot.html")],
        results=("robot.html",),
    ),
    StartStep(
        "profile",
        "Robot",
        "Make a profile",
        "A file with limits, drives and friction terms, to be completed in an editor where it says"
        " FILL IN. Then choose it as the robot above.",
        lambda given: [
            *("dynid", "new", given.named_robot),
            *("-o", given.file(f"{given.stem}.yaml")),
        ],
        needs=("robot", "description"),
    ),
    StartStep(
        "excite",
        "Motion",
        "Find another motion",
        "The most informative motion within the robot's limits, in place of the profile's. It is "
        "not needed where that one passes the check. Stop ends the search with the best so far.",
        lambda given: [*("dynid", "excite", given.named_robot), *("-o", given.motion, "--force")],
        results=("{stem}_excitation.html",),
    ),
    StartStep(
        "check",
        "Motion",
        "Check the motion",
        "How much of each limit the motion uses, and what is not checked.",
        lambda given: [
            *("dynid", "check", given.named_robot, *given.excitation),
            *("-o", given.file("check.png")),
        ],
        results=("check.png",),
    ),
    StartStep(
        "motion",
        "Motion",
        "Show the motion",
        "The motion that was found, in 3-D.",
        lambda given: [
            *("dynid", "view", given.named_robot),
            *("--excitation", given.motion, "-o", given.file("motion.html")),
        ],
        needs=("robot", "excitation"),
        results=("motion.html",),
    ),
    StartStep(
        "simulate",
        "Recording",
        "Record the simulated robot",
        "Two motions of a simulated robot, with identification and validation: to see the whole"
        " path before the real robot moves.",
        lambda given: [
            "dynid",
            "demo",
            given.named_robot,
            "-o",
            str(given.folder),
            "--without-ros",
        ],
        results=("report.html", "report.failed.html"),
    ),
    StartStep(
        "listen",
        "Recording",
        "Record what the robot does",
        "/joint_states of a robot that something else moves, through the recorder of dynid, until"
        " Stop. The page moves nothing.",
        lambda given: [
            *("ros2", "run", "dynid", "recorder", "--ros-args", "-p", "start_at_once:=true"),
            *("-p", f"output:={given.free_name('joint_states')}"),
        ],
        needs=("ros2",),
    ),
    StartStep(
        "play",
        "Recording",
        "Play the motion on the robot",
        "This moves the robot, so it is for a terminal beside the robot, with the emergency stop at"
        " hand (docs/ros2.md says what HARDWARE is). Its recording then appears here.",
        lambda given: _launched(
            given,
            "identify.launch.py",
            *(f"excitation:={file}" for file in given.excitation),
            f"output:={given.folder}",
            "hardware:=HARDWARE",
        ),
        runs=False,
    ),
    StartStep(
        "info",
        "Recording",
        "Look at the recording",
        "What the recording holds, and what in it contradicts itself.",
        lambda given: ["dynid", "info", given.fitted[0], "-p", given.named_robot],
        needs=("robot", "recordings"),
    ),
    StartStep(
        "identify",
        "Identification",
        "Identify the model",
        "Masses, inertias and friction of the robot, with the verdict on the model.",
        lambda given: [
            *("dynid", "identify", given.named_robot, *given.fitted),
            *("-o", str(given.folder)),
        ],
        needs=("robot", "recordings"),
        results=("report.html", "report.failed.html"),
    ),
    StartStep(
        "diagnose",
        "Identification",
        "Search for problems",
        "Causes of a poor identification, and remedies.",
        lambda given: [
            *("dynid", "diagnose", given.named_robot, *given.fitted),
            *("-o", str(given.folder)),
        ],
        needs=("robot", "recordings"),
        results=("diagnosis.html",),
    ),
    StartStep(
        "validate",
        "Verdict",
        "Validate the model",
        "Accuracy on a recording that the model was not fitted to.",
        lambda given: [
            *("dynid", "validate", *given.others),
            *("--model", given.model, "-o", str(given.folder)),
        ],
        needs=("model", "unseen"),
        results=("validation.html", "validation.failed.html"),
    ),
    StartStep(
        "tune",
        "Collision thresholds",
        "Tune the thresholds",
        "As low as a rate of false alarms of 0.1 per hour allows, written into the model. In the"
        " recordings the robot must not touch anything.",
        lambda given: [
            *("dynid", "collisions", "tune", *given.fitted),
            *("-m", given.model, "--into-model"),
        ],
        needs=("model", "recordings"),
    ),
    StartStep(
        "test",
        "Collision thresholds",
        "Test the thresholds",
        "Every alarm on the other recording, or how near it comes to one.",
        lambda given: ["dynid", "collisions", "play", *given.others, "-m", given.model],
        needs=("model", "unseen"),
    ),
    StartStep(
        "control",
        "Take away",
        "Control with the model",
        "Adds the model's torque to your trajectories; for a terminal beside the robot"
        " (docs/control.md).",
        lambda given: _launched(
            given, "control.launch.py", f"model:={given.model}", "hardware:=HARDWARE"
        ),
        needs=("robot", "model"),
        runs=False,
    ),
)
