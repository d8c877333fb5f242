"""Everything an identification leaves in its output folder."""

from __future__ import annotations

from pathlib import Path

from dynid.files import write_text, written_together
from dynid.identification.result import Identification
from dynid.identification.signals_file import write_signals
from dynid.identification.validate import Validation
from dynid.report.report import write_report, write_validation_report
from dynid.robot.urdf_export import identified_urdf


def write_outputs(identification: Identification, folder: Path) -> list[Path]:
    """Write model.yaml, the identified URDF, signals.mcap and report.html into ``folder``.

    They take their places together: an interruption leaves the results of one identification.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    with written_together(folder) as unfinished:
        identification.model.save(unfinished / "model.yaml")
        write_signals(identification, unfinished / "signals.mcap")
        write_report(identification, unfinished / "report.html")
        if identification.provenance.physically_consistent:
            robot, mechanism = identification.robot, identification.model.mechanism
            urdf = identified_urdf(robot.urdf_xml, mechanism, mechanism.parameters)
            write_text(unfinished / f"{robot.name}_identified.urdf", urdf)
        names = sorted(path.name for path in unfinished.iterdir())
    return [folder / name for name in names]


def write_validation_outputs(validation: Validation, folder: Path) -> list[Path]:
    """Write validation.html and validation.mcap into ``folder``, together.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    with written_together(folder) as unfinished:
        write_signals(validation, unfinished / "validation.mcap")
        write_validation_report(validation, unfinished / "validation.html")
        names = sorted(path.name for path in unfinished.iterdir())
    return [folder / name for name in names]
