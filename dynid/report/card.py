"""The card of a verdict: the answer that terminal, report and JSON give in the same words.

With the command that comes next.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple

from dynid.evaluation.diagnosis.repair import is_applicable
from dynid.evaluation.joint_errors import JointState, UseName
from dynid.evaluation.uses import PLAIN_BETTER
from dynid.evaluation.verdict import Verdict
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import Validation
from dynid.text import listed, percent

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


_USUAL_ERRORS = (0.02, 0.1)  # relative torque errors of models of real robots

_NO_BETTER: dict[JointState, str] = {"noise": "its torque is hardly more than noise"}

_USE_NAMES: dict[UseName, str] = {
    "feedforward": "Feedforward",
    "gravity": "Gravity compensation",
    "collision": "Collision detection with tuned thresholds",
    "simulation": "Simulation",
    "payload": "Payload identification",
}


class ErrorBar(NamedTuple):
    """A mean torque error of the joints, or a range of them, over the torque.

    Attributes:
        name: what has this error.
        low: where its bar starts; 0 except for a range.
        high: where its bar ends.
        kind: class in the report's style.
    """

    name: str
    low: float
    high: float
    kind: Literal["measured", "model", "usual"]

    @property
    def number(self) -> str:
        """The error in percent."""
        end = percent(self.high)
        return end if self.low == 0 else f"{100 * self.low:g} to {100 * self.high:g} %"


@dataclass(frozen=True)
class Card:
    """A verdict as an answer.

    Attributes:
        verdict: errors of each joint, and whether they are good.
        summary: the outcome in one sentence.
        next: the command that comes next.
    """

    verdict: Verdict
    summary: str
    next: str

    @classmethod
    def of(cls, result: Identification | Validation, named: NamedInputs | None = None) -> Card:
        """Return the card of a result; ``named`` is what the user gave, as far as it is known."""
        settings = result.model.robot.settings(IdentificationSettings)
        held_out = not isinstance(result, Identification)
        summary = _summary(result.verdict, settings, held_out=held_out)
        return cls(result.verdict, summary, next_command(result, named or NamedInputs()))

    @property
    def bars(self) -> tuple[ErrorBar, ...]:
        """The picture: the model against the URDF, or else against no model."""
        verdict = self.verdict
        usual = ErrorBar("typical of real robots", *_USUAL_ERRORS, "usual")
        if verdict.compared:
            before = ErrorBar("masses of the URDF", 0.0, verdict.mean_urdf_error, "measured")
            return (before, ErrorBar("this model", 0.0, verdict.mean_error, "model"), usual)
        known = [
            joint.held_out_error
            for joint in verdict.joints
            if isfinite(joint.held_out_error) and joint.state != "not_moved"
        ]
        if not known:
            return ()
        model = ErrorBar("this model", 0.0, sum(known) / len(known), "model")
        return (ErrorBar("no model", 0.0, 1.0, "measured"), model, usual)

    @property
    def against_urdf(self) -> list[str]:
        """How much better the model is than the URDF, and where it is not, with the reason."""
        verdict = self.verdict
        if not verdict.compared:
            return []
        sentences = [
            f"Mean torque error of the joints: {percent(verdict.mean_error)} with the model, "
            f"{percent(verdict.mean_urdf_error)} with the masses of the URDF and friction fitted "
            "to them."
        ]
        alike: dict[str, list[str]] = {}
        for joint in verdict.compared:
            if joint.urdf_error <= PLAIN_BETTER * joint.held_out_error:
                reason = _NO_BETTER.get(joint.state, "the masses of the URDF explain it as well")
                errors = f"{percent(joint.held_out_error)} instead of {percent(joint.urdf_error)}"
                alike.setdefault(reason, []).append(f"{joint.joint} ({errors})")
        for reason, joints in alike.items():
            sentences.append(f"Not clearly better than the URDF: {listed(joints)}; {reason}.")
        return sentences

    @property
    def uses(self) -> list[str]:
        """Which joints the model serves for each use, and why not the others."""
        verdict = self.verdict
        alike: dict[str, list[str]] = {}  # names of the uses by what is said of them
        for key, name in _USE_NAMES.items():
            rated = [
                (joint, use)
                for joint in verdict.joints
                for use in joint.uses
                if use.use == key and use.serves is not None
            ]
            if not rated:
                continue
            serving = [joint.joint for joint, use in rated if use.serves]
            others = [
                f"{joint.joint} ({'fails' if joint.state == 'poor' else use.reason})"
                for joint, use in rated
                if not use.serves
            ]
            unrated = [j.joint for j in verdict.joints if all(j is not joint for joint, _ in rated)]
            joints = "no joint" if not serving else listed(serving)
            if len(serving) == len(verdict.joints):
                joints = "every joint"
            rest = f"; not {listed(others)}" if others else ""
            unknown = f"; not rated: {listed(unrated)}" if unrated else ""
            alike.setdefault(f"serves {joints}{rest}{unknown}", []).append(name)
        return [
            f"{listed([first, *map(str.lower, others)])}: {said}."
            for said, (first, *others) in alike.items()
        ]


def _summary(verdict: Verdict, settings: IdentificationSettings, *, held_out: bool) -> str:
    """Return the outcome in one sentence."""
    what = "unseen recordings" if held_out else "the recordings"
    largest = _largest(verdict, settings, held_out)
    if verdict.success:
        return f"The model explains {what} at every joint that moves: {largest}"
    if any(joint.state == "poor" for joint in verdict.joints):
        return f"The model does not explain {what} well enough: {largest}"
    return f"The model fails: {verdict.reasons[0]} Besides, {largest}"


def _largest(verdict: Verdict, settings: IdentificationSettings, held_out: bool) -> str:
    """Return the largest error of those that the criterion rates, and what it allows."""
    allowed = f"{100 * settings.allowed_error:.3g} % is allowed."
    if settings.criterion == "max_error":
        worst = max(verdict.joints, key=lambda joint: joint.max_relative_torque_error)
        return (
            f"the largest torque error in motion is {percent(worst.max_relative_torque_error)} of "
            f"the largest measured torque ({worst.joint}); {allowed}"
        )
    rated = [
        joint
        for joint in verdict.joints
        if isfinite(joint.unexplained_error) and joint.state != "not_moved"
    ]
    if not rated:
        return f"no joint's error could be rated; {allowed}"
    worst = max(rated, key=lambda joint: joint.unexplained_error)
    where = "on them" if held_out else "on data not used in the fit"
    return (
        f"the largest relative torque error {where}, without noise, is "
        f"{percent(worst.unexplained_error)} ({worst.joint}); {allowed}"
    )
