"""The joint terms chosen by recordings, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.friction.joint_trials import JointTrials
from dynid.recording.model import Source
from dynid.robot.robot import Robot
from dynid.text import listed, percent


@dataclass(frozen=True)
class TriedTerms:
    """A friction model tried at one joint.

    Attributes:
        name: of the model.
        parameters: number of its linear and nonlinear parameters.
        fit_error: root mean square error of the fit to all blocks [unit of the effort].
        held_out_error: the same on the blocks held out.
        shapes: nonlinear parameters by name [SI units].
    """

    name: str
    parameters: int
    fit_error: float
    held_out_error: float
    shapes: Mapping[str, float]


@dataclass(frozen=True)
class ChosenTerms:
    """The friction model of one joint, and why it was chosen.

    Attributes:
        joint: its name.
        unit: of the recorded effort.
        tried: all models, in the order in which they were tried; first the robot's own.
        chosen: name of the chosen one.
        given_error: relative error of the whole model on the blocks held out, with the robot's own
            terms, which are plain if it says ``auto``.
        chosen_error: the same with the chosen terms at all joints.
        reason: a part of a sentence.
    """

    joint: str
    unit: str
    tried: tuple[TriedTerms, ...]
    chosen: str
    given_error: float
    chosen_error: float
    reason: str


@dataclass(frozen=True)
class FrictionSelection:
    """The terms chosen for every joint, and the robot that has them.

    Attributes:
        robot: with the chosen terms.
        joints: the choice of each.
        left_out: describes what was held out.
        too_short: whether the recordings were too short to choose by, so that all terms are plain.
        sources: of the recordings, where all models were tried.
        trials: at each joint, with the fits, where all models were tried.
        motors: those that turn with several joints and got friction and a rotor of their own.
        springs: joints that got a spring.
    """

    robot: Robot
    joints: tuple[ChosenTerms, ...]
    left_out: str
    too_short: bool = False
    sources: tuple[Source, ...] = ()
    trials: tuple[JointTrials, ...] = ()
    motors: tuple[str, ...] = ()
    springs: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the friction model chosen for each joint."""
        rows = [f"{joint.joint}: {joint.chosen}" for joint in self.joints]
        first = f"Friction of {self.robot.name}, chosen by the error on each {self.left_out}"
        return "\n".join([first, *rows])

    def note(self) -> str:
        """Return a sentence on how the terms were chosen."""
        if self.too_short:
            return "The recordings are too short to choose joint terms by, so they are plain."
        given, chosen = (
            np.mean([getattr(joint, name) for joint in self.joints])
            for name in ("given_error", "chosen_error")
        )
        those = "given" if self.trials else "plain"
        return (
            f"Joint terms were chosen by the error on each {self.left_out} left out once: "
            f"{percent(chosen)} instead of {percent(given)} of the torque with {those} terms, mean "
            f"over joints.{self._motors()}{self._springs()}"
        )

    def _motors(self) -> str:
        if not self.motors:
            return ""
        plural = len(self.motors) > 1
        return (
            f" The {'motors' if plural else 'motor'} of {listed(self.motors)}, which "
            f"{'turn' if plural else 'turns'} with other joints too, {'have' if plural else 'has'} "
            "friction and a rotor besides those at the joints, as this predicts what was left out "
            "better."
        )

    def _springs(self) -> str:
        if not self.springs:
            return ""
        have = "has a spring" if len(self.springs) == 1 else "have springs"
        return (
            f" {listed(self.springs)} {have}, as of a counterbalance, because this predicts what "
            "was left out better."
        )

    def remedy(self, finding: Finding) -> Finding:
        """Return a finding on missing friction with what was tried already, others unchanged."""
        chosen = {joint.joint: joint for joint in self.joints}.get(finding.joint or "")
        if finding.cause != "friction_terms" or chosen is None:
            return finding
        advice = (
            f"Of {len(chosen.tried)} models tried for {{joints}}, '{chosen.chosen}' was "
            f"chosen by held-out data ({chosen.reason}); `dynid identify friction` tries more. "
            "Record slower motion with reversals and pauses as well."
        )
        return replace(finding, advice=advice, statement=f"{chosen.chosen}: {chosen.reason}")
