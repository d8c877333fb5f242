"""Validation of an identified model on unseen recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.at_rest import largest_static_friction, rest_notes, without_noise_at_rest
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import diagnose
from dynid.evaluation.diagnosis.contradicting_signals import reasons_against_signals
from dynid.evaluation.diagnosis.finding import Finding, sentences
from dynid.evaluation.diagnosis.tested import reasons_of_tested
from dynid.evaluation.errors import compare, urdf_errors
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.verdict import ErrorReference, TorqueComparison, Verdict, evaluate
from dynid.identification.evaluated_model import EvaluatedModel
from dynid.identification.settings import IdentificationSettings
from dynid.identification.torque_signs import model_signs
from dynid.notebook import data_frame, html_lines, html_table
from dynid.recording.averaging import averaging_note, bounded
from dynid.recording.model import Recording, Source, given_recordings, source_names
from dynid.robot.model import Model
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.text import percent

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Validation(EvaluatedModel):
    """The errors of a model on given recordings, with the signals.

    Attributes:
        model: the evaluated model.
        verdict: errors of each joint, and whether they are good.
        signals: one per recording.
        measured_torque, model_torque: (N, n) per recording, filtered [N m or N].
        sources: the recordings' files.
        samples: number of samples used.
        notes: sentences on what was repaired or removed.
        findings: of the diagnosis, the worst first.
    """

    model: Model
    verdict: Verdict
    signals: tuple[Signals, ...]
    measured_torque: tuple[Array, ...]
    model_torque: tuple[Array, ...]
    sources: tuple[Source, ...]
    samples: int
    notes: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file without external resources, and return its path.

        Raises:
            WriteError: the file cannot be written, or it is one of the inputs.
        """
        return self._write_report("dynid.report.report:write_validation_report", path)

    def to_frame(self) -> DataFrame:
        """Return the errors of each joint as a pandas DataFrame; relative errors are fractions.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = [field.name for field in fields(JointErrors)]
        return data_frame(
            {name: [getattr(joint, name) for joint in self.verdict.joints] for name in names}
        )

    def __repr__(self) -> str:
        """Return robot and verdict, and a line for each joint."""
        rows = ["  ".join(row) for row in self._rows()]
        return "\n".join([*self._lines(), "relative torque error:", *rows, *self.verdict.warnings])

    def _repr_html_(self) -> str:
        """Return the same as a table for a notebook."""
        return html_lines(self._lines()) + html_table(("joint", "relative error"), self._rows())

    def _lines(self) -> list[str]:
        outcome = "succeeded" if self.verdict.success else "FAILED"
        names = source_names(self.sources) or "recordings without a file"
        first = f"Validation of {self.model.robot.name} on {names}: {outcome}"
        return [first, *self.verdict.reasons]

    def _rows(self) -> list[tuple[str, str]]:
        return [(joint.joint, percent(joint.relative_error)) for joint in self.verdict.joints]


def validate(model: Model, recordings: Recording | Sequence[Recording]) -> Validation:
    """Evaluate a model on recordings, with the filters of its robot's settings.

    ``dynid.validate`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    recordings = given_recordings("validate()", recordings)
    # borders may be excluded from a fit, but not from a validation
    given = model.robot.settings(IdentificationSettings).model_copy(update={"border": 0.0})
    recordings = bounded(recordings, given.lowest_rate)
    settings = given.for_rate(min(recording.sampling_rate for recording in recordings))
    robot, mechanism = model.robot.with_settings(settings), model.mechanism
    recordings = usable_pieces(recordings, robot)
    if settings.unsigned_torque:
        signed = model_signs()
        recordings = [signed(robot, mechanism, recording) for recording in recordings]
    signals = tuple(without_noise_at_rest(preprocess(recording, robot)) for recording in recordings)
    comparisons = compare(mechanism, signals, settings)
    plain = mechanism.with_parameters(mechanism.urdf_parameters)
    case = Case(
        robot,
        plain,
        tuple(recordings),
        signals,
        mechanism,
        comparisons,
        identified_errors=_identified_errors(model),
    )
    findings = diagnose(case)
    warnings = ["the identification of this model failed its criterion."] if model.failed else []
    verdict = evaluate(
        comparisons,
        settings,
        reference=ErrorReference.of(
            robot,
            static_friction=largest_static_friction(mechanism, signals),
            urdf=urdf_errors(mechanism, model.urdf_terms, signals, settings),
        ),
        reasons=reasons_against_signals(case) or reasons_of_tested(findings),
        warnings=[*warnings, *sentences(findings)],
    )
    return Validation(
        model=model.with_robot(robot),
        verdict=_with_coverage(verdict, model, comparisons),
        signals=signals,
        measured_torque=tuple(c.measured for c in comparisons),
        model_torque=tuple(c.model for c in comparisons),
        sources=tuple(source for recording in recordings for source in recording.sources),
        samples=sum(len(s.time) for s in signals),
        notes=(
            *_other_filters(given, settings),
            *averaging_note(recordings),
            *(note for s in signals for note in s.notes),
            *rest_notes(mechanism, signals),
        ),
        findings=findings,
    )


def _identified_errors(model: Model) -> tuple[float, ...]:
    """Return the held-out errors (n,) of a model's identification; () if it cannot be trusted.

    They are infinite where friction was not determined.
    """
    if model.errors is None or model.failed:
        return ()
    known = model.determined[model.mechanism.first_term :]
    unknown = {
        term.joint
        for term, determined in zip(model.mechanism.terms, known, strict=bool(known))
        if term.traits.missing and not determined
    }
    errors = enumerate(model.errors.held_out_relative_error if known else ())
    return tuple(inf if joint in unknown else error for joint, error in errors)


def _other_filters(given: IdentificationSettings, used: IdentificationSettings) -> Iterator[str]:
    """Yield a note where the recordings are too slow for the model's filters."""
    if given.cutoff_hz not in ("auto", used.cutoff_hz):
        yield (
            f"The model's positions pass a low-pass of {given.cutoff_hz:g} Hz; these recordings "
            f"are so slow that theirs pass one of {used.cutoff_hz:g} Hz."
        )


def _with_coverage(
    verdict: Verdict, model: Model, comparisons: Sequence[TorqueComparison]
) -> Verdict:
    """Return the verdict with the share of the samples that are within the model's intervals."""
    if model.errors is None or not model.errors.moving_interval:
        return verdict
    inside = np.concatenate(
        [
            np.abs(c.model - c.measured) <= model.torque_interval(c.signals.velocity)
            for c in comparisons
        ]
    )
    joints = [
        replace(joint, coverage=float(share))
        for joint, share in zip(verdict.joints, inside.mean(axis=0), strict=True)
    ]
    return replace(verdict, joints=tuple(joints))
