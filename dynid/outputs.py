"""Everything an identification leaves in its output folder."""

from __future__ import annotations

from pathlib import Path

from dynid.atomic_write import write_text
from dynid.errors import ConfigurationError
from dynid.identification import Identification
from dynid.model_file import write_model
from dynid.report import write_report
from dynid.signals_file import write_signals
from dynid.urdf_export import identified_urdf


def write_outputs(identification: Identification, folder: Path) -> list[Path]:
    """Write model.yaml, the identified URDF, signals.mcap and report.html into ``folder``.

    Raises:
        ConfigurationError: the folder cannot be made.
        DynidError: a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--output {folder}: {error.strerror}.") from None
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
