"""Reading of model.yaml, with all checks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from dynid.configuration import yaml_mapping
from dynid.errors import ConfigurationError, ModelFileError, ModelFileWarning, WriteError
from dynid.input_file import read_text
from dynid.recording.model import Source, digest
from dynid.robot.model import Model
from dynid.robot.model_entries import (
    UNSEALED_FORMAT,
    ModelEntries,
    check_mechanism,
    check_seal,
    parse_entries,
)
from dynid.robot.provenance import BaseEstimate, Provenance
from dynid.robot.robot import Robot
from dynid.robot.tuned_thresholds import stored_thresholds, with_threshold_parameters
from dynid.transaction import settled

MakeRobot = Callable[..., Robot]
"""dynid.profile.make_robot, which imports the tasks whose settings a model carries."""


def read_model(path: Path, make_robot: MakeRobot) -> Model:
    """Read ``model.yaml``.

    Raises:
        ModelFileError: the file is missing, incomplete, altered or inconsistent.
    """
    try:
        with settled(path):
            text = read_text(path)
            source = Source(name=path.name, sha256=digest(path), kind="model")
    except (ConfigurationError, WriteError) as error:
        raise ModelFileError(str(error)) from None
    return parse_model(text, str(path), make_robot, source=source)


def parse_model(
    text: str,
    where: str,
    make_robot: MakeRobot,
    *,
    source: Source | None = None,
    sealed: bool = True,
) -> Model:
    """Return the model in the text of a ``model.yaml``.

    Args:
        text: of the file.
        where: names the text in error messages.
        make_robot: dynid.profile.make_robot.
        source: the file, if the text is from one.
        sealed: whether the seal is checked, with a warning if it is missing.

    Raises:
        ModelFileError: the text is incomplete, altered or inconsistent.
    """
    try:
        content = yaml_mapping(text, where)
        entries = parse_entries(content, where)
        profile = yaml_mapping(entries.profile, f"{where}: its profile")
        robot = make_robot(profile, entries.urdf, where=f"{where}: its profile")
        thresholds = stored_thresholds(content, where)
        robot = with_threshold_parameters(robot, thresholds, where)
    except ConfigurationError as error:
        raise ModelFileError(str(error)) from None
    mechanism = check_mechanism(entries, robot, where)
    provenance = _read_provenance(entries, where)
    if sealed:
        check_seal(content, where)
    if sealed and entries.format == UNSEALED_FORMAT:
        warnings.warn(
            f"{where}: has format {UNSEALED_FORMAT} without a seal, so that altered parameters "
            "cannot be detected; identify again to get a sealed model.",
            ModelFileWarning,
            stacklevel=2,
        )
    return Model(
        robot=robot,
        mechanism=mechanism.with_parameters(np.array(entries.parameters)),
        base=_read_base(entries),
        provenance=provenance,
        errors=entries.errors,
        determined=entries.parameters_determined,
        urdf_terms=entries.urdf_terms,
        quantities=entries.quantities,
        thresholds=thresholds,
        source=source,
        sealed=sealed and entries.format != UNSEALED_FORMAT,
    )


def _read_provenance(entries: ModelEntries, where: str) -> Provenance:
    stored = {field.name for field in fields(Provenance)} & set(ModelEntries.model_fields)
    values = {name: getattr(entries, name) for name in stored}
    for name in ("created", "edited_at"):
        if values[name] is not None:
            values[name] = _time(name, values[name], where)
    return Provenance(**values, sources=_read_sources(entries))


def _read_sources(entries: ModelEntries) -> tuple[Source, ...]:
    count = len(entries.recordings)
    times = entries.recordings_start_time or (-1,) * count
    temperatures = entries.recordings_temperature or (math.nan,) * count
    return tuple(
        Source(
            name,
            sha256,
            kind="",
            start_time=None if time < 0 else time,
            temperature=None if math.isnan(celsius) else celsius,
        )
        for name, sha256, time, celsius in zip(
            entries.recordings, entries.recordings_sha256, times, temperatures, strict=True
        )
    )


def _read_base(entries: ModelEntries) -> BaseEstimate:
    stored = entries.base_parameters
    if stored is None:
        return BaseEstimate.empty()
    return BaseEstimate(
        names=stored.names,
        regroupings=stored.regroupings,
        values=np.array(stored.values),
        consistent_values=np.array(stored.consistent_values),
        standard_deviations=np.array(stored.standard_deviations),
        covariance=stored.covariance(),
        friction_repeatability=stored.friction_repeatability,
        friction_repeatability_origin=stored.friction_repeatability_origin,
    )


def _time(name: str, text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment
    except ValueError:
        raise ModelFileError(
            f"{where}: model.{name} is '{text}', expected a time such as 2026-01-31T12:00:00Z."
        ) from None
