"""The joint terms chosen by recordings, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynid.evaluation.diagnosis.finding import Finding
from dynid.robot.robot import Robot
from dynid.text import percent


@dataclass(frozen=True)
class TriedTerms:
    """A friction model tried at one joint.

    Attributes:
        name: of the model.
        parameters: number of its linear and nonlinear parameters.
        held_out_error: root mean square error on the blocks held out [unit of the effort].
    """

    name: str
    parameters: int
    held_out_error: float


@dataclass(frozen=True)
class ChosenTerms:
    """The friction model of one joint, and why it was chosen.

    Attributes:
        joint: its name.
        unit: of the recorded effort.
        tried: all models, in the order in which they were tried; the first one is plain.
        chosen: name of the chosen one.
        plain_error: relative error of the whole model on the blocks held out, with plain terms.
        chosen_error: the same with the chosen terms at all joints.
        reason: a part of a sentence.
    """

    joint: str
    unit: str
    tried: tuple[TriedTerms, ...]
    chosen: str
    plain_error: float
    chosen_error: float
    reason: str


@dataclass(frozen=True)
class TermSelection:
    """The terms chosen for every joint, and the robot that has them.

    Attributes:
        robot: with the chosen terms.
        joints: the choice of each.
        left_out: describes what was held out.
        too_short: whether the recordings were too short to choose by, so that all terms are plain.
    """

    robot: Robot
    joints: tuple[ChosenTerms, ...]
    left_out: str
    too_short: bool = False

    def note(self) -> str:
        """Return a sentence on how the terms were chosen."""
        if self.too_short:
            return "The recordings are too short to choose joint terms by, so they are plain."
        plain, chosen = (
            np.mean([getattr(joint, name) for joint in self.joints])
            for name in ("plain_error", "chosen_error")
        )
        return (
            f"Joint terms were chosen by the error on each {self.left_out} left out once: "
            f"{percent(chosen)} instead of {percent(plain)} of the torque with plain terms, mean "
            "over joints."
        )

    def remedy(self, finding: Finding) -> Finding:
        """Return a finding on missing friction with what was tried already, others unchanged."""
        chosen = {joint.joint: joint for joint in self.joints}.get(finding.joint or "")
        if finding.cause != "friction_terms" or chosen is None:
            return finding
        remedy = (
            f"Of {len(chosen.tried)} models tried for {finding.joint}, '{chosen.chosen}' was "
            f"chosen by held-out data ({chosen.reason}); `dynid friction` tries more of them. "
            "Record slower motion with reversals and pauses as well."
        )
        return replace(finding, remedy=remedy)
