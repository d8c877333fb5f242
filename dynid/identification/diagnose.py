"""Diagnosis of recordings, with a given model or one that is fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynid.errors import EstimationError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.notebook import Shown, data_frame, html_lines, html_table
from dynid.recording.averaging import bounded
from dynid.recording.model import Recording, Source
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import SignalSettings

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Diagnosis(Shown):
    """Findings in recordings of a robot.

    Attributes:
        robot: name of the profile.
        sources: the recordings' files.
        findings: the worst first.
        no_model: why no model could be fitted; None if there is a model.
        reasons: why the model fails its criterion; () if it does not.
    """

    robot: str
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    no_model: str | None = None
    reasons: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the robot and a line for each finding."""
        count = len(self.found)
        first = f"{count} cause{'' if count == 1 else 's'} found" if count else "no cause found"
        return "\n".join([f"Diagnosis of {self.robot}: {first}", *map(repr, self.findings)])

    def _repr_html_(self) -> str:
        """Return the findings as a table for a notebook."""
        if not self.findings:
            return html_lines([repr(self)])
        rows = [(f.severity, ", ".join(f.joints), f.sentence, f.remedy) for f in self.findings]
        return html_table(("severity", "joints", "finding", "remedy"), rows)

    def to_frame(self) -> DataFrame:
        """Return the findings as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = ("cause", "joints", "severity", "sentence", "remedy")
        return data_frame(
            {name: [getattr(finding, name) for finding in self.findings] for name in names}
        )

    @property
    def found(self) -> tuple[Finding, ...]:
        """Findings except notes."""
        return tuple(finding for finding in self.findings if finding.severity != "note")


def diagnose_recordings(
    robot: Robot,
    recordings: Sequence[Recording],
    *,
    model: Model | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Diagnosis:
    """Look for every cause in recordings.

    Args:
        robot: the robot and the settings of every step.
        recordings: of the robot's joints, in its order.
        model: to compare with them; None: a model is fitted, and if that is not possible, the
            recordings are diagnosed without a model.
        progress: called with the name of each step.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    recordings = bounded(recordings, robot.settings(SignalSettings).lowest_rate)
    sources = tuple(source for recording in recordings for source in recording.sources)
    if model is not None:
        progress("diagnosing")
        validation = validate(model.with_robot(robot), recordings)
        reasons = validation.verdict.reasons
        return Diagnosis(robot.name, sources, validation.findings, reasons=reasons)
    try:
        result = identify(robot, recordings, progress=progress)
    except EstimationError as error:
        progress("diagnosing")
        pieces = usable_pieces(recordings, robot)
        signals = tuple(preprocess(recording, robot) for recording in pieces)
        case = Case(robot, robot.mechanism(), tuple(pieces), signals)
        return Diagnosis(robot.name, sources, diagnose(case), no_model=str(error))
    return Diagnosis(robot.name, sources, result.findings, reasons=result.verdict.reasons)
