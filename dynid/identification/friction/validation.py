"""Validation of identifications with given and with chosen friction, on unseen recordings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dynid.evaluation.verdict import Verdict
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.recording.model import Recording, source_names
from dynid.robot.robot import Robot


@dataclass(frozen=True)
class JointComparison:
    """Root mean square errors of one joint, and the standard deviation of the effort [unit]."""

    joint: str
    unit: str
    given: float
    chosen: float
    standard_deviation: float


@dataclass(frozen=True)
class FrictionComparison:
    """Both models on one recording."""

    name: str
    joints: tuple[JointComparison, ...]

    @property
    def mean_given(self) -> float:
        """Mean over the joints of error over standard deviation, with the given terms."""
        return float(np.mean([joint.given / joint.standard_deviation for joint in self.joints]))

    @property
    def mean_chosen(self) -> float:
        """The same with the chosen terms."""
        return float(np.mean([joint.chosen / joint.standard_deviation for joint in self.joints]))


def compare_profiles(
    given: Robot,
    chosen: Robot,
    recordings: Sequence[Recording],
    unseen: Sequence[Recording],
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[FrictionComparison, ...]:
    """Identify with both profiles on ``recordings`` and validate both models on ``unseen``.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    if not unseen:
        return ()
    verdicts: list[list[Verdict]] = []
    for robot in (given, chosen):
        model = identify(robot, recordings, progress=progress).model
        progress("evaluating on unseen recordings")
        verdicts.append([validate(model, recording).verdict for recording in unseen])
    names = [source_names(recording.sources) for recording in unseen]
    return tuple(
        FrictionComparison(name, _joints(before, after))
        for name, before, after in zip(names, *verdicts, strict=True)
    )


def _joints(before: Verdict, after: Verdict) -> tuple[JointComparison, ...]:
    return tuple(
        JointComparison(
            joint=given.joint,
            unit=given.unit,
            given=given.rmse,
            chosen=other.rmse,
            standard_deviation=given.rmse / np.sqrt(1.0 - given.r_squared)
            if given.r_squared < 1
            else np.inf,
        )
        for given, other in zip(before.joints, after.joints, strict=True)
    )
