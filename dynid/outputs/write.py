"""Everything an identification leaves in its output folder."""

from __future__ import annotations

from pathlib import Path

from dynid.errors import OutputError
from dynid.identification import Identification
from dynid.outputs.atomic_write import write_text
from dynid.outputs.model_file import write_model
from dynid.outputs.signals_file import write_signals
from dynid.outputs.urdf_export import identified_urdf
from dynid.report import write_report, write_validation_report
from dynid.validation import Validation


def write_outputs(identification: Identification, folder: Path) -> list[Path]:
    """Write model.yaml, the identified URDF, signals.mcap and report.html into ``folder``.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    _make(folder)
    written = [folder / "model.yaml", folder / "signals.mcap", folder / "report.html"]
    write_model(identification, written[0])
    write_signals(identification, written[1])
    write_report(identification, written[2])
    if identification.physically_consistent:
        urdf = identified_urdf(
            identification.urdf_xml, identification.mechanism, identification.mechanism.parameters
        )
        written.append(folder / f"{identification.profile.robot}_identified.urdf")
        write_text(written[-1], urdf)
    return written


def write_validation_outputs(validation: Validation, folder: Path) -> list[Path]:
    """Write validation.html and validation.mcap into ``folder``.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    _make(folder)
    written = [folder / "validation.mcap", folder / "validation.html"]
    write_signals(validation, written[0])
    write_validation_report(validation, written[1])
    return written


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made a folder ({error.strerror}).") from None
