"""``dynid model retrieve``: physically consistent parameters for given base parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, Output, Profile, Set, Urdf

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot
    from dynid_plugins.laboratory.retrieval import Retrieval

_NOTE = "Parameters found by `dynid model retrieve`."


def retrieve_command(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="PARAMETERS", help="Base parameters: CSV with name and value, or YAML."
        ),
    ],
    profile: Profile,
    urdf: Urdf = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Find physical parameters for given base parameters.

    The standard parameters found are physically consistent. They are written to a URDF and, as
    parameters of the simulated robot, to a profile that all commands accept. If no physically
    consistent robot has the given base parameters, the nearest one is found. The penalty method is
    chosen by --set identification.physical.method=penalty.
    """
    from dynid.cli.loading import load_robot
    from dynid.dynamics.base_parameters import base_parameterization
    from dynid.identification.settings import IdentificationSettings
    from dynid.profile import profile_text
    from dynid.report.terminal.console import print_json, print_written, result_console, roomy
    from dynid.report.terminal.progress import progress
    from dynid_plugins.laboratory.given_parameters import read_base_parameters
    from dynid_plugins.laboratory.retrieval import retrieve

    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    values = read_base_parameters(given, mechanism, base)
    console = result_console(as_json)
    with progress(console, "finding physical parameters"):
        found = retrieve(
            mechanism, base, values, robot.limits, robot.settings(IdentificationSettings).physical
        )
    written = _write(robot, profile_text(profile), mechanism, found, output)
    if as_json:
        print_json(_json(mechanism, base, found))
        return
    _print(roomy(console), mechanism, base, found)
    print_written(console, written)


def _write(
    robot: Robot, given: str | None, mechanism: Mechanism, found: Retrieval, folder: Path
) -> list[Path]:
    """Write the URDF, and the given profile with all parameters in its simulated robot."""
    from dynid.files import write_text
    from dynid.profile import write_profile
    from dynid.robot.urdf_export import identified_urdf
    from dynid.simulation.settings import SimulationSettings
    from dynid.transaction import written_together

    names = [f"{robot.name}_retrieved{ending}" for ending in (".urdf", ".yaml")]
    parameters = dict(zip(mechanism.parameter_names, found.parameters.tolist(), strict=True))
    simulation = robot.settings(SimulationSettings).model_copy(update={"parameters": parameters})
    retrieved = robot.model_copy(update={"urdf": names[0]}).with_settings(simulation)
    with written_together(folder) as unfinished:
        write_text(
            unfinished / names[0], identified_urdf(robot.urdf_xml, mechanism, found.parameters)
        )
        write_profile(retrieved, unfinished / names[1], given=given, note=_NOTE)
    return [folder / name for name in names]


def _print(
    console: Console, mechanism: Mechanism, base: BaseParameterization, found: Retrieval
) -> None:

    from dynid.report.terminal.console import print_text
    from dynid.report.terminal.tables import table
    from dynid.text import percent, significant

    rows = table("base parameter", "given", "retrieved", "unit")
    for name, given, value, unit in zip(
        base.names, found.given, found.found, base.units, strict=True
    ):
        rows.add_row(name, *(significant(given), significant(value), unit))
    console.print(rows)
    changes = ", ".join(
        f"{joint} {percent(change)}"
        for joint, change in zip(mechanism.joints, found.torque_change, strict=True)
    )
    if found.feasible:
        verdict = "The given base parameters are physically consistent."
    else:
        verdict = (
            "The given base parameters are not physically consistent; these are the nearest ones "
            "that are."
        )
    print_text(console, verdict, "" if found.feasible else "yellow")
    print_text(console, f"Torque changes by {changes} (RMS, random motion within the limits).")


def _json(mechanism: Mechanism, base: BaseParameterization, found: Retrieval) -> dict[str, object]:
    import numpy as np

    given = zip(base.names, found.given, strict=True)
    return {
        "feasible": found.feasible,
        "torque_change": dict(zip(mechanism.joints, found.torque_change, strict=True)),
        "given": {name: value for name, value in given if np.isfinite(value)},
        "base_parameters": dict(zip(base.names, found.found, strict=True)),
        "parameters": dict(zip(mechanism.parameter_names, found.parameters, strict=True)),
    }
