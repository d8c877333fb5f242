"""A servo identified on a rig, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dynid.json_text import json_fields
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant
from dynid_plugins.servo.report import figures_json

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.servo.rig import RigIdentification
    from dynid_plugins.servo.simulated_rig import HeldOutRun

_MEANINGS = {
    "torque_per_volt": ("N m/V", "torque constant / resistance"),
    "damping": ("N m s/rad", "viscous friction + torque constant² / resistance"),
    "bias": ("rad", "added to commands"),
}


def print_rig(
    console: Console, identification: RigIdentification, held_out: Sequence[HeldOutRun]
) -> None:
    """Print parameters with standard deviations, what they are for the profile, and roll-outs."""
    console = roomy(console)
    print_text(console, f"{identification.robot.name}: servo", "bold")
    rows = table("parameter", "value", "std. dev.", "unit", "meaning")
    for name, value, deviation in zip(
        identification.names, identification.values, identification.standard_deviations, strict=True
    ):
        unit, meaning = _MEANINGS.get(name) or _of_term(identification, name)
        rows.add_row(name, significant(value), significant(deviation), unit, meaning)
    console.print(rows)
    errors = ", ".join(percent(error) for error in identification.relative_errors)
    print_sentences(console, "Notes", [f"Torque error of the fit, by run: {errors}."], "")
    print_text(console, "For the profile, or after --set, at its resistance:")
    for line in profile_lines(identification):
        print_text(console, f"  {line}")
    print_sentences(
        console, "Identifiable only in combination", [_combination(identification)], "yellow"
    )
    if held_out:
        _print_roll_outs(console, held_out)


def profile_lines(identification: RigIdentification) -> list[str]:
    """Return the servo's values as they are set on the command line."""
    values = dict(zip(identification.names, identification.values.tolist(), strict=True))
    (constant,) = identification.robot.drives.torque_constant or (float("nan"),)
    terms = identification.robot.mechanism()
    friction = {
        name: float(identification.parameters[terms.parameter_names.index(name)])
        for name in terms.parameter_names[terms.first_term :]
    }
    return [
        f"drives.torque_constant={constant:.5g}",
        f"servo.bias={values['bias']:.5g}",
        f"simulation.parameters={{{', '.join(f'{k}: {v:.5g}' for k, v in friction.items())}}}",
    ]


def _of_term(identification: RigIdentification, name: str) -> tuple[str, str]:
    mechanism = identification.robot.mechanism()
    number = mechanism.parameter_names.index(name)
    term = mechanism.terms[number - mechanism.first_term]
    shape = f", scale {term.scale:g} rad/s" if term.kind == "stribeck" else ""
    return mechanism.parameter_units[number].replace("*", " "), f"{term.traits.label}{shape}"


def _combination(identification: RigIdentification) -> str:
    servo = identification.robot.servo
    resistance = 1.0 if servo is None or servo.resistance is None else servo.resistance[0]
    return (
        "Torque constant and resistance act as torque_per_volt alone, viscous friction and "
        f"back-EMF as damping alone; with the profile's {significant(resistance)} Ohm they are as "
        f"above, viscous friction {significant(identification.viscous)} N m s/rad. Measure the "
        "resistance to separate them."
    )


def _print_roll_outs(console: Console, held_out: Sequence[HeldOutRun]) -> None:
    print_text(console, "Each run simulated with the servo from the other runs [mrad]", "bold")
    rows = table("run", "profile, no friction", "identified", "motion")
    for run in held_out:
        numbers = (run.profile, run.identified, run.motion)
        rows.add_row(run.name, *(significant(1e3 * value) for value in numbers))
    console.print(rows)


def rig_json(identification: RigIdentification, held_out: Sequence[HeldOutRun]) -> dict[str, Any]:
    """Return what ``dynid servo rig --json`` prints."""
    return {
        "robot": identification.robot.name,
        "parameters": figures_json(identification),
        "viscous": identification.viscous,
        "torque_constant": list(identification.robot.drives.torque_constant or ()),
        "relative_errors": list(identification.relative_errors),
        "held_out": [{"run": run.name, **json_fields(run, without=("name",))} for run in held_out],
    }
