"""What a model says of the identification that it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import datetime, timezone
from functools import cache
from importlib import metadata

from dynid import _core
from dynid.estimation.cross_validation import HeldOut
from dynid.estimation.estimators import name_of
from dynid.estimation.fitting import Fit
from dynid.evaluation.verdict import Verdict
from dynid.identification.quantities import Quantity
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, Source
from dynid.robot.provenance import ModelErrors, Provenance, StoredQuantities
from dynid.signals.signals import Signals


def provenance(
    settings: IdentificationSettings,
    verdict: Verdict,
    fitted: Fit,
    recordings: Sequence[Recording],
    signals: Sequence[Signals],
) -> Provenance:
    """Return how a model was identified, and from what."""
    return Provenance(
        status="success" if verdict.success else "failed",
        created=datetime.now(timezone.utc),
        estimator=name_of(settings.estimator),
        physically_consistent=fitted.consistent,
        cutoff_hz=settings.motion_cutoff_hz,
        raw_samples=sum(recording.averaged * len(recording.time) for recording in recordings),
        samples=sum(len(s.time) for s in signals),
        condition_number=fitted.estimate.condition_number,
        base_parameter_count=len(fitted.problem.base.names),
        criterion=settings.criterion,
        allowed_error=settings.allowed_error,
        reasons=verdict.reasons,
        warnings=verdict.warnings,
        sources=tuple(source for recording in recordings for source in _sources(recording)),
        versions=versions(),
    )


def _sources(recording: Recording) -> tuple[Source, ...]:
    heat = recording.temperature
    mean = None if heat is None else heat.mean
    return tuple(replace(source, temperature=mean) for source in recording.sources)


def versions() -> dict[str, str]:
    """Return the versions of dynid and of the libraries that its results depend on."""
    return dict(_versions())


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    versions = {"dynid": _core.version, "pinocchio": _core.pinocchio_version}
    for name in ("numpy", "scipy", "clarabel"):
        with suppress(metadata.PackageNotFoundError):  # a distribution may leave it out
            versions[name] = metadata.version(name)
    return tuple(versions.items())


def model_errors(verdict: Verdict, held_out: HeldOut) -> ModelErrors:
    """Return the errors of each joint, in the fit and held out."""
    names = [field.name for field in fields(ModelErrors) if field.name != "held_out_relative_error"]
    columns = {name: tuple(getattr(joint, name) for joint in verdict.joints) for name in names}
    return ModelErrors(**columns, held_out_relative_error=held_out.relative_error)


def stored_quantities(quantities: Sequence[Quantity]) -> StoredQuantities:
    """Convert physical quantities to those of a model."""
    return StoredQuantities(
        names=tuple(quantity.name for quantity in quantities),
        values=tuple(quantity.value for quantity in quantities),
        standard_deviations=tuple(quantity.standard_deviation for quantity in quantities),
        units=tuple(quantity.unit for quantity in quantities),
        unknown=tuple(quantity.unknown for quantity in quantities),
    )
