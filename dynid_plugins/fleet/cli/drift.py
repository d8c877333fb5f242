"""``dynid fleet drift``: what changed in a robot, from the models of many recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson
from dynid_plugins.fleet.cli.options import FalseAlarms, Reference, Seed, Simulations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.robot.model import Model
    from dynid_plugins.fleet.drift.history import History


def drift_command(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL", help="model.yaml files of one robot, one for each recording."
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="In place of MODEL: a table with the columns model, time, temperature [°C].",
        ),
    ] = None,
    reference: Reference = 10,
    false_alarms_per_year: FalseAlarms = 0.1,
    simulations: Simulations = 500,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Detect changes of a robot over many recordings.

    Payload, friction, torque constants, encoder offsets. The first recordings show how much
    parameters vary between days; later ones are compared with them. Times are those of the bags or
    of the table, and so are temperatures, where every recording has them.
    """
    from dynid.report.terminal.console import print_json, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.fleet.drift.detection import detect_drift
    from dynid_plugins.fleet.drift.printed import drift_json, print_drift

    console = result_console(as_json)
    with progress(console) as step:
        step("reading models")
        model, history = _read(models or [], table, reference)
        step("simulating years without change")
        found = detect_drift(
            model,
            history,
            reference=reference,
            false_alarms_per_year=false_alarms_per_year,
            simulations=simulations,
            seed=seed,
            share=step.share,
        )
    if as_json:
        print_json(drift_json(found))
    else:
        print_drift(console, found)


def _read(paths: list[Path], table: Path | None, reference: int) -> tuple[Model, History]:
    """Return the model of the first recordings that is known best, and the history of all.

    Raises:
        DynidError: neither or both are given, or a file is not suitable.
    """
    from dynid.errors import ConfigurationError
    from dynid.profile import load_model
    from dynid_plugins.fleet.drift.history import best_model, history_of_models, recording_time
    from dynid_plugins.fleet.drift.history_table import read_history_table

    if bool(paths) == (table is not None):
        raise ConfigurationError("give either MODEL files or --table.")
    if table is None:
        loaded = [load_model(path) for path in paths]
        times, temperatures = [recording_time(one) for one in loaded], None
    else:
        rows = read_history_table(table)
        paths = [row.model for row in rows]
        loaded = [load_model(path) for path in paths]
        times = [row.time for row in rows]
        warmth = [row.temperature for row in rows if row.temperature is not None]
        temperatures = warmth or None
    _refuse_copies(paths, loaded)
    history = history_of_models(loaded, times, temperatures)
    early = sorted(range(len(times)), key=times.__getitem__)[:reference]
    return best_model([loaded[number] for number in early], history), history


def _refuse_copies(paths: Sequence[Path], models: Sequence[Model]) -> None:
    """Raise if two models are the same to the last digit: they are of one recording."""
    from dynid.errors import ConfigurationError
    from dynid.text import printable

    seen: dict[bytes, Path] = {}
    for path, model in zip(paths, models, strict=True):
        earlier = seen.setdefault(model.base.values.tobytes(), path)
        if model.base.names and earlier is not path:
            raise ConfigurationError(
                f"{printable(path)}: is the same model as {printable(earlier)}; name each model "
                "once, identified from a recording of its own."
            )
