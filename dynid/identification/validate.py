"""Hold an identified model against recordings it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.finding import Finding, sentences
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import Judgement, judge
from dynid.identification.unsigned.model_signs import signed_by_model
from dynid.profile import RobotProfile
from dynid.recording.model import Recording, Source
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals


@dataclass(frozen=True)
class Validation:
    """A model's judgement on given recordings, with what is needed to draw it."""

    profile: RobotProfile
    mechanism: Mechanism  # carries the model's parameters
    judgement: Judgement
    signals: tuple[Signals, ...]  # one per recording
    measured_torque: tuple[Array, ...]  # (N, n) per recording, through the parallel filter
    model_torque: tuple[Array, ...]  # (N, n) per recording, through the same
    sources: tuple[Source, ...]
    samples: int
    notes: tuple[str, ...]
    findings: tuple[Finding, ...] = ()  # of the diagnosis, the worst first


def validate(
    profile: RobotProfile,
    model: Mechanism,
    recordings: Sequence[Recording],
    *,
    failed: bool = False,
) -> Validation:
    """Judge ``model`` (its current parameters) on recordings, by the profile's filters.

    ``failed`` says that the model's own identification failed, which is then a warning.

    Raises:
        DynidError: a recording or setting does not allow it.
    """
    # a fit may be choosy about its samples, a judgement may not: borders count
    settings = profile.identification.model_copy(update={"border": 0.0})
    profile = profile.model_copy(update={"identification": settings})
    if settings.unsigned_torque:
        recordings = [signed_by_model(profile, model, recording) for recording in recordings]
    signals = tuple(preprocess(recording, profile) for recording in recordings)
    comparisons = compare(model, signals, settings)
    plain = model.with_parameters(model.urdf_parameters)
    case = Case(profile, plain, tuple(recordings), signals, model, comparisons)
    findings = diagnose(case)
    warnings = ["the identification of this model failed its criterion."] if failed else []
    return Validation(
        profile=profile,
        mechanism=model,
        judgement=judge(
            comparisons,
            allowed=settings.max_relative_torque_error,
            warnings=[*warnings, *sentences(findings)],
        ),
        signals=signals,
        measured_torque=tuple(c.measured for c in comparisons),
        model_torque=tuple(c.model for c in comparisons),
        sources=tuple(source for recording in recordings for source in recording.sources),
        samples=sum(len(s.time) for s in signals),
        notes=tuple(note for s in signals for note in s.notes),
        findings=findings,
    )
