"""The diagnosis of recordings, with a model that is given or with one that is fitted to them."""

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
from dynid.notebook import data_frame, html_lines, html_table
from dynid.recording.model import Recording, Source
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Diagnosis:
    """What was found in recordings of a robot.

    Attributes:
        robot: name of the profile.
        sources: the files looked at.
        findings: the worst first.
        no_model: why no model could be fitted, where that is so.
    """

    robot: str
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    no_model: str | None = None

    def __repr__(self) -> str:
        """The robot, and a line for each finding."""
        count = len(self.found)
        first = f"{count} cause{'' if count == 1 else 's'} found" if count else "no cause found"
        return "\n".join([f"Diagnosis of {self.robot}: {first}", *map(repr, self.findings)])

    def _repr_html_(self) -> str:
        """The findings as a table, for a notebook."""
        if not self.findings:
            return html_lines([repr(self)])
        rows = [(f.severity, f.joint or "", f.sentence, f.remedy) for f in self.findings]
        return html_table(("severity", "joint", "finding", "remedy"), rows)

    def to_frame(self) -> DataFrame:
        """The findings as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = ("cause", "joint", "severity", "sentence", "remedy")
        return data_frame({name: [getattr(one, name) for one in self.findings] for name in names})

    @property
    def found(self) -> tuple[Finding, ...]:
        """What is more than a note."""
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
        robot: the robot, and every step's settings.
        recordings: of the profile's joints, in its order.
        model: to hold against them; None: one is fitted, and where that is impossible, the
            recordings are looked at without.
        progress: told the name of each step as it begins.

    Raises:
        DynidError: a recording or setting does not allow it.
    """
    sources = tuple(source for recording in recordings for source in recording.sources)
    if model is not None:
        progress("diagnosing")
        findings = validate(model.with_robot(robot), recordings).findings
        return Diagnosis(robot.name, sources, findings)
    try:
        findings = identify(robot, recordings, progress=progress).findings
    except EstimationError as error:
        progress("diagnosing")
        signals = tuple(preprocess(recording, robot) for recording in recordings)
        case = Case(robot, robot.mechanism(), tuple(recordings), signals)
        return Diagnosis(robot.name, sources, diagnose(case), no_model=str(error))
    return Diagnosis(robot.name, sources, findings)
