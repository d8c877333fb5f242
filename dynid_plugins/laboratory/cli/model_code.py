"""``dynid model code``: the minimal inverse dynamic model as C99, structured text, or an FMU."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.named_model import OrProfile, named_model, origin, provenance
from dynid.cli.options import OptionalModel, Set, Urdf, Without, output_folder
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from dynid.dynamics.base_parameters import BaseTable
    from dynid_plugins.laboratory.symbolic.c_code import Number
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

_ARITHMETIC = frozenset({"mul", "add", "sub", "neg", "sin", "cos"})


class _Target(str, Enum):
    """What is written."""

    c = "c"
    st = "st"
    fmi = "fmi"


def code_command(
    output: Annotated[Path, output_folder(help="Folder for the files.")],
    target: Annotated[
        _Target, typer.Option(help="C99; structured text (IEC 61131-3) for PLCs; FMU (FMI 3.0).")
    ] = _Target.c,
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Prefix of the names in the code; the robot's name by default."
        ),
    ] = None,
    without: Without = None,
    single: Annotated[
        bool, typer.Option("--float", help="Single precision (float, REAL), for microcontrollers.")
    ] = False,
) -> None:
    """Write the minimal inverse dynamic model as C99, structured text for PLCs, or an FMU.

    C needs only math.h. Structured text is a function block without state. An FMU has inputs q, dq,
    ddq and outputs tau, gravity, friction, its C sources, and a binary where cc is installed.
    """
    from dynid.dynamics.base_parameters import base_table
    from dynid.report.terminal.console import print_text, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.transaction import written_together
    from dynid_plugins.laboratory.symbolic.c_code import c_name
    from dynid_plugins.laboratory.symbolic.minimal_model import minimal_model, operation_counts
    from dynid_plugins.laboratory.symbolic.structured_text import st_name

    if single and target is _Target.fmi:
        raise ConfigurationError("--float: an FMU is always of double precision; leave it out.")
    chosen = named_model(model, profile, urdf, settings).without_terms(without or [])
    prefix = (st_name if target is _Target.st else c_name)(name or chosen.robot.name)
    console = result_console()
    with progress(console, "deriving the formulas"):
        formulas = minimal_model(chosen.mechanism)
    table = base_table(chosen.mechanism, formulas.base, chosen.robot.name, origin(chosen))
    notes = provenance(chosen, without or [])
    number: Number = "float" if single else "double"
    with written_together(output) as unfinished:
        described = (formulas, prefix, table, notes)
        files, note = _write(target, unfinished, *described, number=number)
    if note:
        print_text(console, note)
    _print_operations(console, operation_counts(formulas))
    print_written(console, [output / file for file in files])


def _write(
    target: _Target,
    folder: Path,
    formulas: Formulas,
    prefix: str,
    table: BaseTable,
    notes: Sequence[str],
    *,
    number: Number,
) -> tuple[list[str], str]:
    """Write the files; return their names, and for which machines there is a binary."""
    from dynid.files import write_text
    from dynid_plugins.laboratory.symbolic.c_code import c_header, c_source
    from dynid_plugins.laboratory.symbolic.fmu import fmu
    from dynid_plugins.laboratory.symbolic.structured_text import function_block

    if target is _Target.fmi:
        unit = fmu(formulas, prefix, table, notes)
        unit.write(folder / f"{prefix}.fmu")
        note = "The FMU has its C sources only: there is no C compiler cc here."
        if unit.platform:
            note = f"The FMU has its C sources, and a binary for {unit.platform}."
        return [f"{prefix}.fmu"], note
    if target is _Target.st:
        texts = {f"{prefix}.st": function_block(formulas, prefix, table, notes, number=number)}
    else:
        texts = {
            f"{prefix}.c": c_source(formulas, prefix, table, number=number),
            f"{prefix}.h": c_header(formulas, prefix, table, notes, number=number),
        }
    for file, text in texts.items():
        write_text(folder / file, text)
    return list(texts), ""


def _print_operations(console: Console, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Print the number of operations of each kind for each result."""
    from dynid.report.terminal.console import roomy
    from dynid.report.terminal.tables import table

    rows = table("operations", "×", "+, −", "sin, cos", "other functions")
    for name, count in counts.items():
        others = sum(number for one, number in count.items() if one not in _ARITHMETIC)
        groups = (("mul",), ("add", "sub", "neg"), ("sin", "cos"))
        numbers = [sum(count.get(one, 0) for one in group) for group in groups]
        rows.add_row(name, *map(str, [*numbers, others]))
    roomy(console).print(rows)
