"""Everything an identification leaves in its output folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dynid.errors import OutputError
from dynid.files import write_text
from dynid.identification.identify import Identification
from dynid.identification.signals_file import write_signals
from dynid.identification.validate import Validation
from dynid.report.report import write_report, write_validation_report
from dynid.robot.model_file import write_model
from dynid.robot.urdf_export import identified_urdf


def write_outputs(identification: Identification, folder: Path) -> list[Path]:
    """Write model.yaml, the identified URDF, signals.mcap and report.html into ``folder``.

    They take their places together: an interruption leaves the results of one identification.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    with written_together(folder) as unfinished:
        write_model(identification, unfinished / "model.yaml")
        write_signals(identification, unfinished / "signals.mcap")
        write_report(identification, unfinished / "report.html")
        if identification.physically_consistent:
            mechanism = identification.mechanism
            urdf = identified_urdf(identification.urdf_xml, mechanism, mechanism.parameters)
            write_text(unfinished / f"{identification.profile.robot}_identified.urdf", urdf)
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


@contextmanager
def written_together(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to; what is in it moves to ``folder`` only if the block succeeds.

    Raises:
        OutputError: the folder cannot be made, or a file not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".unfinished-") as temporary:
            yield Path(temporary)
            for path in sorted(Path(temporary).iterdir()):
                path.replace(folder / path.name)
    except OSError as error:
        name = error.filename or folder
        raise OutputError(f"{name}: cannot be written ({error.strerror}).") from None
