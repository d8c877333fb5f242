"""The card of a verdict: the answer that terminal, report and JSON give in the same words."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple

from dynid.evaluation.uses import PLAIN_BETTER
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings
from dynid.report.next_command import NamedInputs, next_command
from dynid.text import listed, percent

if TYPE_CHECKING:
    from dynid.evaluation.joint_errors import JointState, UseName
    from dynid.evaluation.verdict import Verdict
    from dynid.identification.validate import Validation

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
