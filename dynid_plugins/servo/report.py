"""Servos identified from commands and positions, and roll-outs, as tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.servo.identification import Combination, ServoIdentification
    from dynid_plugins.servo.rig import RigIdentification
    from dynid_plugins.servo.roll_out import RollOuts


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
