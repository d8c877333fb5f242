"""A servo identified on a rig, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.servo.rig import RigIdentification
    from dynid_plugins.servo.simulated_rig import HeldOutRun

_MEANINGS = {
    "torque_per_volt": ("N m/V", "torque constant / resistance"),
    "damping": ("N m s/rad", "viscous friction + torque constant² / resistance"),
    "bias": ("rad", "added to commands"),
}


def print_rig(console: Console, found: RigIdentification, held_out: Sequence[HeldOutRun]) -> None:
    """Print parameters with standard deviations, what they are for the profile, and roll-outs."""
    console = roomy(console)
    print_text(console, f"{found.robot.name}: servo", "bold")
    rows = table("parameter", "value", "std. dev.", "unit", "meaning")
    for name, value, deviation in zip(
        found.names, found.values, found.standard_deviations, strict=True
    ):
        unit, meaning = _MEANINGS.get(name) or _of_term(found, name)
        numbers = (significant(value), significant(deviation))
        rows.add_row(Text(name), *(Text(one) for one in (*numbers, unit, meaning)))
    console.print(rows)
    errors = ", ".join(percent(one) for one in found.relative_errors)
    print_sentences(console, "Notes", [f"Torque error of the fit, by run: {errors}."], "")
    print_text(console, "For the profile, or after --set, at its resistance:")
    for line in profile_lines(found):
        print_text(console, f"  {line}")
    print_sentences(console, "Identifiable only in combination", _combinations(found), "yellow")
    if held_out:
        _print_roll_outs(console, held_out)


def profile_lines(found: RigIdentification) -> list[str]:
    """Return the servo's values as they are set on the command line."""
    values = dict(zip(found.names, found.values.tolist(), strict=True))
    (constant,) = found.robot.drives.torque_constant or (float("nan"),)
    terms = found.robot.mechanism()
    friction = {
        name: float(found.parameters[terms.parameter_names.index(name)])
        for name in terms.parameter_names[terms.first_term :]
    }
    return [
        f"drives.torque_constant={constant:.5g}",
        f"servo.bias={values['bias']:.5g}",
        f"simulation.parameters={{{', '.join(f'{k}: {v:.5g}' for k, v in friction.items())}}}",
    ]


def _of_term(found: RigIdentification, name: str) -> tuple[str, str]:
    mechanism = found.robot.mechanism()
    number = mechanism.parameter_names.index(name)
    term = mechanism.terms[number - mechanism.first_term]
    shape = f", scale {term.scale:g} rad/s" if term.kind == "stribeck" else ""
    return mechanism.parameter_units[number].replace("*", " "), f"{term.traits.label}{shape}"


def _combinations(found: RigIdentification) -> list[str]:
    servo = found.robot.servo
    resistance = 1.0 if servo is None or servo.resistance is None else servo.resistance[0]
    return [
        "Torque constant and resistance act as torque_per_volt alone, viscous friction and "
        f"back-EMF as damping alone; with the profile's {significant(resistance)} Ohm they are as "
        f"above, viscous friction {significant(found.viscous)} N m s/rad. Measure the resistance "
        "to separate them."
    ]


def _print_roll_outs(console: Console, held_out: Sequence[HeldOutRun]) -> None:
    print_text(console, "Each run simulated with the servo from the other runs [mrad]", "bold")
    rows = table("run", "profile, no friction", "identified", "motion")
    for one in held_out:
        numbers = (one.profile, one.identified, one.motion)
        rows.add_row(Text(one.name), *(Text(significant(1e3 * value)) for value in numbers))
    console.print(rows)


def rig_json(found: RigIdentification, held_out: Sequence[HeldOutRun]) -> dict[str, Any]:
    """Return what ``dynid servo rig --json`` prints."""
    figures = zip(found.names, found.values, found.standard_deviations, strict=True)
    return {
        "robot": found.robot.name,
        "parameters": {
            name: {"value": value, "standard_deviation": deviation}
            for name, value, deviation in figures
        },
        "viscous": found.viscous,
        "torque_constant": list(found.robot.drives.torque_constant or ()),
        "relative_errors": list(found.relative_errors),
        "held_out": [
            {
                "run": one.name,
                "profile": one.profile,
                "identified": one.identified,
                "motion": one.motion,
            }
            for one in held_out
        ],
    }
