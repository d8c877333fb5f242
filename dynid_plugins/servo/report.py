"""Servos identified in robots and on rigs, and roll-outs, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dynid.json_text import json_fields
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.servo.identification import Combination, ServoIdentification
    from dynid_plugins.servo.rig import RigIdentification
    from dynid_plugins.servo.roll_out import RollOuts
    from dynid_plugins.servo.simulated_rig import HeldOutRun

_MEANINGS = {
    "torque_per_volt": ("N m/V", "torque constant / resistance"),
    "damping": ("N m s/rad", "viscous friction + torque constant² / resistance"),
    "bias": ("rad", "added to commands"),
}


def print_servos(console: Console, identification: ServoIdentification) -> None:
    """Print unknowns and base parameters with standard deviations, then the combinations."""
    console = roomy(console)
    print_text(console, f"{identification.robot}: servos and base parameters", "bold")
    rows = table("parameter", "value", "std. dev.")
    for name, value, deviation in zip(
        identification.names, identification.values, identification.standard_deviations, strict=True
    ):
        rows.add_row(name, significant(value), significant(deviation))
    console.print(rows)
    errors = ", ".join(percent(error) for error in identification.relative_error.tolist())
    notes = [f"Torque error of the fit, by joint: {errors}."]
    if identification.known:
        given = ", ".join(
            f"{name} = {significant(value)}" for name, value in identification.known.items()
        )
        notes.append(f"Known: {given}.")
    print_sentences(console, "Notes", notes, "")
    print_text(console, "For the profile, or after --set:")
    for line in profile_lines(identification):
        print_text(console, f"  {line}")
    sentences = [combination_sentence(combination) for combination in identification.combinations]
    print_sentences(console, "Identifiable only in combination", sentences, "yellow")


def profile_lines(identification: ServoIdentification) -> list[str]:
    """Return the law's values as they are set on the command line, such as ``servo.bias=[...]``."""
    law = identification.law
    return [
        f"servo.{kind}=[{','.join(f'{value:.5g}' for value in getattr(law, kind).tolist())}]"
        for kind in identification.unknowns
    ]


def combination_sentence(combination: Combination) -> str:
    """Describe an unknown that kept its value."""
    if not combination.others:
        kept = f"{significant(combination.value)} kept"
        return f"{combination.name} has no effect in these recordings; {kept}."
    absorbed = ", ".join(
        f"{name} by {significant(factor)}" for name, factor in combination.others.items()
    )
    return (
        f"{combination.name} kept {significant(combination.value)}; for each unit that it is "
        f"larger, these are larger: {absorbed}."
    )


def figures_json(identification: ServoIdentification | RigIdentification) -> dict[str, Any]:
    """Return values and standard deviations by the parameters' names."""
    figures = zip(
        identification.names, identification.values, identification.standard_deviations, strict=True
    )
    return {name: {"value": value, "standard_deviation": error} for name, value, error in figures}


def servo_json(identification: ServoIdentification) -> dict[str, Any]:
    """Return what ``dynid servo identify --json`` prints."""
    return {
        "robot": identification.robot,
        "parameters": figures_json(identification),
        "combinations": {
            combination.name: {"kept": combination.value, "absorbed_by": combination.others}
            for combination in identification.combinations
        },
        "known": identification.known,
        "relative_error": identification.relative_error,
    }


def print_roll_outs(console: Console, roll_outs: RollOuts) -> None:
    """Print position errors of roll-outs by joint."""
    console = roomy(console)
    print_text(
        console, f"{len(roll_outs.starts)} roll-outs of {roll_outs.horizon:g} s [rad or m]", "bold"
    )
    rows = table("joint", "rms error", "at the end", "rms motion")
    for name, *numbers in zip(
        roll_outs.joint_names, roll_outs.rms, roll_outs.rms_at_end, roll_outs.motion, strict=True
    ):
        rows.add_row(name, *(significant(number) for number in numbers))
    console.print(rows)


def roll_outs_json(roll_outs: RollOuts) -> dict[str, Any]:
    """Return what ``dynid servo roll-out --json`` prints."""
    return {
        "roll_outs": len(roll_outs.starts),
        "horizon": roll_outs.horizon,
        "joints": {
            name: {"rms": rms, "rms_at_end": end, "motion": motion}
            for name, rms, end, motion in zip(
                roll_outs.joint_names,
                roll_outs.rms,
                roll_outs.rms_at_end,
                roll_outs.motion,
                strict=True,
            )
        },
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
    for line in _rig_lines(identification):
        print_text(console, f"  {line}")
    print_sentences(
        console, "Identifiable only in combination", [_combination(identification)], "yellow"
    )
    if held_out:
        _print_roll_outs(console, held_out)


def _rig_lines(identification: RigIdentification) -> list[str]:
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
