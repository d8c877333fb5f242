"""Reading of model.yaml, with all checks; and sealing it again after an intended edit by hand."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynid.configuration import yaml_mapping
from dynid.errors import ConfigurationError, ModelFileError, ModelFileWarning, WriteError
from dynid.files import whole_file
from dynid.input_file import read_bytes, read_text
from dynid.limits import TEXT_BYTES
from dynid.recording.model import Source, digest
from dynid.robot.model import Model
from dynid.robot.model_entries import (
    FORMAT,
    UNSEALED_FORMAT,
    ModelEntries,
    check_mechanism,
    check_seal,
    parse_entries,
    seal,
)
from dynid.robot.parameter_file import quoted
from dynid.robot.provenance import BaseEstimate, Provenance
from dynid.robot.robot import Robot
from dynid.robot.tuned_thresholds import stored_thresholds, with_threshold_parameters
from dynid.text import iso_time
from dynid.transaction import settled
from dynid.yaml_text import Edit, edited_text

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


_REMARK = "# Edited by hand, confirmed "
_EXPLANATION = "errors, standard deviations and base parameters are those of the identification."
_BY_SEALING = ("format", "sha256", "edited_at")


@dataclass(frozen=True)
class SealedEdit:
    """Result of the confirmation of an edit.

    Attributes:
        model: with the edit.
        before: the previous seal; None if there was none.
        after: the new seal.
    """

    model: Model
    before: str | None
    after: str

    @property
    def changed(self) -> bool:
        """Whether there was an edit to confirm; otherwise the file was not written."""
        return self.before != self.after


def confirm_edit(path: Path, make_robot: MakeRobot) -> SealedEdit:
    """Seal a model.yaml again that was edited by hand, in place.

    All other checks of a reader must pass, and the parameters must be physically consistent.
    Comments, order and all other bytes of the file stay; ``edited_at`` and a comment record the
    edit. A file of format 1, which has no seal, is converted to format 2. A file with a valid seal
    is not changed.

    Raises:
        ModelFileError: the file is missing or inconsistent, its parameters are not physically
            consistent, or the status of a failed identification was changed to success.
        WriteError: the file cannot be written.
    """
    where, text = str(path), _text(path)
    model = parse_model(text, where, make_robot, sealed=False)
    entries = _model_entries(text, where)
    before = entries.get("sha256")
    after = seal({**entries, "format": FORMAT})
    if before != after:
        _check_edit(model, where)
        sealed = _sealed_text(text, after, iso_time(datetime.now(timezone.utc)))
        _check_unchanged(text, sealed, where)
        model = parse_model(sealed, where, make_robot)
        with whole_file(path) as unfinished:
            unfinished.write_bytes(sealed.encode("utf-8"))
    return SealedEdit(model, before, after)


def _text(path: Path) -> str:
    """Return all characters of a file, including carriage returns, which text mode drops."""
    try:
        return read_bytes(path, TEXT_BYTES, ModelFileError).decode("utf-8")
    except UnicodeDecodeError:
        raise ModelFileError(f"{path}: is not text in UTF-8.") from None


def _model_entries(text: str, where: str) -> dict[str, Any]:
    model_entries: dict[str, Any] = yaml_mapping(text, where)["/**"]["ros__parameters"]["model"]
    return model_entries


def _check_edit(model: Model, where: str) -> None:
    made = model.identified_provenance
    problem = model.mechanism.physical_problem()
    if problem:
        message = f"{where}: is not physically consistent: {problem}; it was not sealed."
        raise ModelFileError(message)
    if made.reasons and not made.failed:
        raise ModelFileError(
            f"{where}: model.status is success, but model.reasons says why the identification "
            "failed; it was not sealed: identify again, or set status to failed and load it with "
            "'force'."
        )


def _sealed_text(text: str, sha256: str, now: str) -> str:
    """Return the same text with another seal, the time of the edit, and a comment."""
    values, keys = _nodes(text)
    edits: list[Edit] = [_remark(text, now)]
    if values["format"].value != str(FORMAT):
        edits.append(_in_place_of(text, values["format"], str(FORMAT)))
    added = []
    for name, value in (("edited_at", now), ("sha256", sha256)):
        if name in values:
            edits.append(_in_place_of(text, values[name], quoted(value)))
        else:
            added.append(f"{name}: {quoted(value)}")
    # before an existing key, to use its indentation
    anchor = keys.get("sha256", keys["format"]).start_mark
    begin = text.rfind("\n", 0, anchor.index) + 1
    indent = text[begin : anchor.index]
    between = ", " if indent.strip() else _line_break(text) + indent
    edits.append((anchor.index, anchor.index, "".join(line + between for line in added)))
    return edited_text(text, edits)


def _remark(text: str, now: str) -> Edit:
    """Return the comment on the edit, in place of an earlier one or below the first line."""
    line = f"{_REMARK}{now}: {_EXPLANATION}"
    header = list(takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))
    begin = 0
    for present in header:
        if present.startswith(_REMARK):
            return begin, begin + len(present.rstrip("\r\n")), line
        begin += len(present)
    at = len(header[0]) if header else 0
    return at, at, line + _line_break(text)


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _in_place_of(text: str, node: yaml.Node, new: str) -> Edit:
    begin, end = node.start_mark.index, node.end_mark.index
    # a block scalar ends where the next line begins
    return begin, begin + len(text[begin:end].rstrip()), new


def _nodes(text: str) -> tuple[dict[str, yaml.Node], dict[str, yaml.Node]]:
    """Return the nodes of the entries below ``model``, and those of their keys."""
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for name in ("/**", "ros__parameters", "model"):
        node = next(value for key, value in node.value if key.value == name)
    return (
        {key.value: value for key, value in node.value},
        {key.value: key for key, _ in node.value},
    )


def _check_unchanged(text: str, sealed: str, where: str) -> None:
    """Raise if an entry is written in a form of YAML that is not supported here."""
    try:
        both_entries = [_model_entries(version, where) for version in (text, sealed)]
    except (ConfigurationError, KeyError, TypeError):
        both_entries = [{}, {"": ""}]
    rest = [{k: v for k, v in version.items() if k not in _BY_SEALING} for version in both_entries]
    if repr(rest[0]) != repr(rest[1]):  # repr, because NaN is not equal to itself
        raise ModelFileError(
            f"{where}: cannot be sealed in place; write format, sha256 and edited_at each on a "
            "separate line, as dynid does."
        )
