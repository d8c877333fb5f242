"""Output files of an identification and of a validation."""

from __future__ import annotations

from pathlib import Path

from dynid.files import write_text
from dynid.identification.result import Identification
from dynid.identification.signals_file import write_signals
from dynid.identification.validate import Validation
from dynid.input_file import inputs_kept
from dynid.report.card import NamedInputs
from dynid.report.report import (
    write_missing_validation_report,
    write_report,
    write_validation_report,
)
from dynid.robot.model import Model
from dynid.robot.urdf_export import identified_urdf
from dynid.transaction import written_together

MODEL = "model.yaml"
FAILED_MODEL = "model.failed.yaml"
"""File name of a model whose identification failed; an existing good model is kept."""

_URDF = "_identified.urdf"
_FAILED = (FAILED_MODEL, "report.failed.html", "signals.failed.mcap")
_VALIDATION = ("validation.html", "validation.mcap")
_FAILED_VALIDATION = ("validation.failed.html", "validation.failed.mcap")


def write_outputs(
    identification: Identification, folder: Path, named: NamedInputs | None = None
) -> list[Path]:
    """Write model.yaml, the identified URDF, signals.mcap and report.html into ``folder``.

    The files are replaced together: after an interruption all of them are of one identification,
    and files of an earlier one are removed, including the validation of its model. If the
    identification failed, the names are model.failed.yaml, signals.failed.mcap and
    report.failed.html, there is no URDF, and the results of an earlier successful identification
    are kept. ``named``: what the user gave, for the next command in the report.

    Raises:
        WriteError: the folder cannot be created, a file cannot be written, or the identification
            was made from one that would be replaced or removed.
    """
    if identification.model.failed:
        model, report, signals = _FAILED
        stale: tuple[str, ...] = _FAILED_VALIDATION
    else:
        model, report, signals = MODEL, "report.html", "signals.mcap"
        stale = (f"*{_URDF}", *_VALIDATION, *_FAILED, *_FAILED_VALIDATION)
    kept = inputs_kept(identification.model.inputs)
    with kept, written_together(folder, stale=stale) as unfinished:
        identification.model.save(unfinished / model, force=True)  # its name shows the failure
        write_signals(identification, unfinished / signals)
        write_report(identification, unfinished / report, named)
        made = identification.provenance
        if made.physically_consistent and not made.failed:
            robot, mechanism = identification.robot, identification.model.mechanism
            urdf = identified_urdf(robot.urdf_xml, mechanism, mechanism.parameters)
            write_text(unfinished / f"{robot.name}{_URDF}", urdf)
        names = sorted(path.name for path in unfinished.iterdir())
    return [folder / name for name in names]


def written_model(folder: Path, *, success: bool) -> Path:
    """Return the path of the model that :func:`write_outputs` writes."""
    return folder / (MODEL if success else FAILED_MODEL)


def kept_model(folder: Path, *, success: bool) -> str | None:
    """Return a sentence on the good model that a failed identification has kept, if any."""
    kept, failed = folder / MODEL, folder / FAILED_MODEL
    if success or not kept.exists():
        return None
    return f"{kept} of an earlier identification is kept; the failed model is in {failed}."


def write_validation_outputs(
    validation: Validation, folder: Path, named: NamedInputs | None = None
) -> list[Path]:
    """Write validation.html and validation.mcap into ``folder``, together.

    For a model whose identification failed they are validation.failed.html and .mcap, so that those
    of the good model are kept. ``named`` as in :func:`write_outputs`.

    Raises:
        WriteError: the folder cannot be created, or a file cannot be written.
    """
    report, signals = _validation_names(validation.model)
    read = (source.path for source in validation.sources if source.path is not None)
    kept = inputs_kept((*validation.model.inputs, *read))
    with kept, written_together(folder) as unfinished:
        write_signals(validation, unfinished / signals)
        write_validation_report(validation, unfinished / report, named)
        names = sorted(path.name for path in unfinished.iterdir())
    return [folder / name for name in names]


def write_missing_validation(model: Model, reason: str, folder: Path) -> None:
    """Write validation.html with the reason why there is no validation, unless there is one.

    Raises:
        WriteError: the folder cannot be created, or the file cannot be written.
    """
    report, signals = _validation_names(model)
    if not (folder / signals).exists():
        with written_together(folder) as unfinished:
            write_missing_validation_report(model, reason, unfinished / report)


def written_validation(validation: Validation, folder: Path) -> Path:
    """Return the path of the report that :func:`write_validation_outputs` writes."""
    return folder / _validation_names(validation.model)[0]


def _validation_names(model: Model) -> tuple[str, str]:
    return _FAILED_VALIDATION if model.failed else _VALIDATION
