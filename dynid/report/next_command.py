"""The command that comes after a result."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.evaluation.diagnosis.repair import is_applicable
from dynid.identification.result import Identification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.evaluation.joint_errors import UseName
    from dynid.evaluation.verdict import Verdict
    from dynid.identification.validate import Validation

_USUAL_FOLDER = Path("out")


@dataclass(frozen=True)
class NamedInputs:
    """What the user gave, as the next command repeats it; words in capitals for what is unknown.

    Attributes:
        robot: shipped robot or file.
        recordings: that were evaluated.
        reading: options that select parts of them or change the robot.
        folder: that the model and the report are written to; None: unknown.
        model: file of a validated model, where it is not the one in the folder.
        tuned: whether the file has thresholds that were tuned with the model.
    """

    robot: str = "ROBOT"
    recordings: tuple[str, ...] = ("RECORDING",)
    reading: tuple[str, ...] = ()
    folder: Path | None = None
    model: str = ""
    tuned: bool = False


def reading_options(
    start: float | None,
    stop: float | None,
    run: int | None,
    urdf: Path | None = None,
    overrides: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the options that select parts of recordings and change the robot, for a command."""
    given = (("--start", start), ("--stop", stop), ("--run", run), ("--urdf", urdf))
    pairs = [(option, f"{value}") for option, value in given if value is not None]
    pairs += [("--set", override) for override in overrides]
    return tuple(word for pair in pairs for word in pair)


def next_command(result: Identification | Validation, named: NamedInputs) -> str:
    """Return the command that comes next, which runs as it stands where all is known."""
    fitted = isinstance(result, Identification)
    written = str((named.folder or Path()) / "model.yaml")
    model = written if fitted else named.model or written
    corrected = _corrected(result, named)
    if fitted and any(one.cause == "unsigned_effort" for one in result.findings):
        folder = [] if named.folder in {None, _USUAL_FOLDER} else ["--output", str(named.folder)]
        given = [named.robot, *named.recordings, *named.reading]
        words = ["dynid", "identify", *given, "--unsigned-torque", *folder]
    elif corrected or not result.verdict.success:
        robot = [named.robot] if fitted else []
        of_model = [] if fitted else ["--model", model]
        folder = [] if named.folder in {None, _USUAL_FOLDER} else ["--output", str(named.folder)]
        words = ["dynid", "diagnose", *robot, *named.recordings, *of_model, *named.reading, *folder]
        words += corrected
    elif fitted:
        words = ["dynid", "validate", "ANOTHER_RECORDING", "--model", model]
    elif _serves(result.verdict, "collision") and not named.tuned:
        # tune takes whole recordings
        free = ("FREE_MOTION",) if named.reading else named.recordings
        words = ["dynid", "collisions", "tune", *free, "--model", model, "--into-model"]
    elif _serves(result.verdict, "feedforward") or _serves(result.verdict, "collision"):
        arguments = [f"robot:={named.robot}", f"model:={model}"]
        words = ["ros2", "launch", "dynid", "control.launch.py", *arguments]
    else:
        simulator = f"{result.model.robot.name}.xml"
        words = ["dynid", "model", "export", model, "--to", "mjcf", "--output", simulator]
    return shlex.join(words)


def _corrected(result: Identification | Validation, named: NamedInputs) -> list[str]:
    """Return the option that writes a corrected profile; [] if nothing found can be corrected."""
    if not isinstance(result, Identification) or named.robot == NamedInputs.robot:
        return []
    path = (named.folder or Path()) / "corrected.yaml"
    known = any(is_applicable(one) for one in result.findings if one.severity != "note")
    return ["--apply", str(path)] if known and not path.exists() else []


def _serves(verdict: Verdict, use: UseName) -> bool:
    """Return whether the model of any joint serves a use."""
    return any(one.use == use and one.serves for joint in verdict.joints for one in joint.uses)
