"""``dynid model code``: the minimal inverse dynamic model as C99."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.named_model import ModelFile, OrProfile, named_model, origin, provenance
from dynid.cli.options import Set, Urdf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_ARITHMETIC = frozenset({"mul", "add", "sub", "neg", "sin", "cos"})


def code_command(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the .c and .h file."),
    ],
    model: ModelFile = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Prefix of the names in C; the robot's name by default."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND", help="Kind of joint terms to omit, such as presliding; repeatable."
        ),
    ] = None,
    single: Annotated[
        bool,
        typer.Option("--float", help="Single precision, for microcontrollers."),
    ] = False,
) -> None:
    """Write the minimal inverse dynamic model as C99, which needs only math.h."""
    from dynid.dynamics.base_table import base_table
    from dynid.files import write_text
    from dynid.report.terminal.console import print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.transaction import written_together
    from dynid_plugins.laboratory.symbolic.c_code import c_header, c_name, c_source
    from dynid_plugins.laboratory.symbolic.c_functions import Number
    from dynid_plugins.laboratory.symbolic.minimal_model import minimal_model, operation_counts

    chosen = named_model(model, profile, urdf, settings).without_terms(without or [])
    prefix = c_name(name or chosen.robot.name)
    number: Number = "float" if single else "double"
    console = result_console()
    with progress(console, "deriving the formulas"):
        formulas = minimal_model(chosen.mechanism)
    table = base_table(chosen.mechanism, formulas.base, chosen.robot.name, origin(chosen))
    texts = {
        f"{prefix}.c": c_source(formulas, prefix, table, number=number),
        f"{prefix}.h": c_header(
            formulas, prefix, table, provenance(chosen, without or []), number=number
        ),
    }
    with written_together(output) as unfinished:
        for file, text in texts.items():
            write_text(unfinished / file, text)
    _print_operations(console, operation_counts(formulas))
    print_written(console, [output / file for file in texts])


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
