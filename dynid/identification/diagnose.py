"""The diagnosis of recordings, with a model that is given or with one that is fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import RobotProfile
from dynid.recording.model import Recording, Source
from dynid.signals.preprocess import preprocess


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

    @property
    def found(self) -> tuple[Finding, ...]:
        """What is more than a note."""
        return tuple(finding for finding in self.findings if finding.severity != "note")


def diagnose_recordings(
    profile: RobotProfile,
    urdf_xml: str,
    recordings: Sequence[Recording],
    *,
    model: Mechanism | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Diagnosis:
    """Look for every cause in recordings.

    Args:
        profile: the robot, and every step's settings.
        urdf_xml: text of its URDF.
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
        findings = validate(profile, model, recordings).findings
        return Diagnosis(profile.robot, sources, findings)
    try:
        findings = identify(profile, urdf_xml, recordings, progress=progress).findings
    except EstimationError as error:
        progress("diagnosing")
        signals = tuple(preprocess(recording, profile) for recording in recordings)
        case = Case(profile, profile.mechanism(urdf_xml), tuple(recordings), signals)
        return Diagnosis(profile.robot, sources, diagnose(case), no_model=str(error))
    return Diagnosis(profile.robot, sources, findings)
