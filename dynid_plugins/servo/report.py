"""Servos identified from commands and positions, and roll-outs, as tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.servo.identification import Combination, ServoIdentification
    from dynid_plugins.servo.roll_out import RollOuts


def print_servos(console: Console, found: ServoIdentification) -> None:
    """Print unknowns and base parameters with standard deviations, then the combinations."""
    console = roomy(console)
    print_text(console, f"{found.robot}: servos and base parameters", "bold")
    rows = table("parameter", "value", "std. dev.")
    for name, value, deviation in zip(
        found.names, found.values, found.standard_deviations, strict=True
    ):
        rows.add_row(Text(name), Text(significant(value)), Text(significant(deviation)))
    console.print(rows)
    errors = ", ".join(percent(one) for one in found.relative_error.tolist())
    notes = [f"Torque error of the fit, by joint: {errors}."]
    if found.known:
        given = ", ".join(f"{name} = {significant(value)}" for name, value in found.known.items())
        notes.append(f"Known: {given}.")
    print_sentences(console, "Notes", notes, "")
    print_text(console, "For the profile, or after --set:")
    for line in profile_lines(found):
        print_text(console, f"  {line}")
    sentences = [combination_sentence(one) for one in found.combinations]
    print_sentences(console, "Identifiable only in combination", sentences, "yellow")


def profile_lines(found: ServoIdentification) -> list[str]:
    """Return the law's values as they are set on the command line, such as ``servo.bias=[...]``."""
    return [
        f"servo.{kind}=[{','.join(f'{value:.5g}' for value in getattr(found.law, kind).tolist())}]"
        for kind in found.unknowns
    ]


def combination_sentence(found: Combination) -> str:
    """Describe an unknown that kept its value."""
    if not found.others:
        return f"{found.name} has no effect in these recordings; {significant(found.value)} kept."
    absorbed = ", ".join(
        f"{name} by {significant(factor)}" for name, factor in found.others.items()
    )
    return (
        f"{found.name} kept {significant(found.value)}; for each unit that it is larger, these are "
        f"larger: {absorbed}."
    )


def servo_json(found: ServoIdentification) -> dict[str, Any]:
    """Return what ``dynid servo identify --json`` prints."""
    figures = zip(found.names, found.values, found.standard_deviations, strict=True)
    return {
        "robot": found.robot,
        "parameters": {
            name: {"value": value, "standard_deviation": deviation}
            for name, value, deviation in figures
        },
        "combinations": {
            one.name: {"kept": one.value, "absorbed_by": one.others} for one in found.combinations
        },
        "known": found.known,
        "relative_error": found.relative_error,
    }


def print_roll_outs(console: Console, found: RollOuts) -> None:
    """Print position errors of roll-outs by joint."""
    console = roomy(console)
    print_text(console, f"{len(found.starts)} roll-outs of {found.horizon:g} s [rad or m]", "bold")
    rows = table("joint", "rms error", "at the end", "rms motion")
    for name, *numbers in zip(
        found.joint_names, found.rms, found.rms_at_end, found.motion, strict=True
    ):
        rows.add_row(Text(name), *(Text(significant(one)) for one in numbers))
    console.print(rows)


def roll_outs_json(found: RollOuts) -> dict[str, Any]:
    """Return what ``dynid servo roll-out --json`` prints."""
    return {
        "roll_outs": len(found.starts),
        "horizon": found.horizon,
        "joints": {
            name: {"rms": rms, "rms_at_end": end, "motion": motion}
            for name, rms, end, motion in zip(
                found.joint_names, found.rms, found.rms_at_end, found.motion, strict=True
            )
        },
    }
