"""Torque constants as a table, as lines of a profile, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from dynid.arrays import Array
from dynid.report.terminal.console import NOT_IDENTIFIABLE, print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.identification.drive_gains.identification import DriveGains


def print_drive_gains(console: Console, found: DriveGains) -> None:
    """Print each joint's constant with its standard deviation, and that of the profile."""
    console = roomy(console)
    unit = "N/A" if found.quantity == "force_constant" else "N·m/A"
    words = found.quantity.replace("_", " ")
    print_text(console, f"{found.robot}: {words}s of its drives [{unit}]", "bold")
    consistent = [] if found.consistent is None else ["consistent"]
    rows = table("joint", "profile", words, "std. dev.", *consistent)
    for joint, name in enumerate(found.joints):
        numbers = [NOT_IDENTIFIABLE, *([""] if consistent else [])]
        deviation = found.standard_deviations[joint] / abs(found.fitted[joint])
        if found.identifiable[joint]:
            numbers = [significant(found.fitted[joint])]
            if found.consistent is not None:
                numbers.append(significant(found.consistent[joint]))
        values = [significant(found.profile[joint]), numbers[0], percent(deviation), *numbers[1:]]
        rows.add_row(Text(name), *map(Text, values))
    console.print(rows)
    print_sentences(console, "Warnings", found.reasons, "yellow")
    print_sentences(console, "Notes", found.notes, "")
    outcome = ("Succeeded.", "bold green") if found.success else ("Failed.", "bold red")
    console.print(Text(*outcome))


def profile_fragment(found: DriveGains) -> str:
    """Return lines that replace those of the profile, with their sources as comments."""
    width = max(len(name) for name in found.joints)
    figures = zip(
        found.joints, found.best, found.standard_deviations, found.identifiable, strict=True
    )
    lines = [
        f"# drives of {found.robot}, from a payload of {found.payload.mass:g} kg",
        *(f"# recording: {one.name}, SHA-256 {one.sha256}" for one in found.sources),
        *(
            f"#   {name:<{width}} "
            + (
                f"{value:.5g} +- {deviation:.2g}"
                if identifiable
                else f"{NOT_IDENTIFIABLE}; {value:g} kept"
            )
            for name, value, deviation, identifiable in figures
        ),
        "drives:",
        f"  {found.quantity}: [{', '.join(f'{value:.5g}' for value in found.best)}]",
    ]
    return "\n".join(lines) + "\n"


def drive_gains_json(found: DriveGains) -> dict[str, Any]:
    """Return what ``dynid drive-gains --json`` prints; what is not identifiable is null."""

    def number(values: Array | None, joint: int) -> float | None:
        return values[joint] if found.identifiable[joint] and values is not None else None

    return {
        "robot": found.robot,
        "quantity": found.quantity,
        "payload_mass": found.payload.mass,
        "joints": {
            name: {
                "profile": found.profile[joint],
                "value": number(found.fitted, joint),
                "standard_deviation": number(found.standard_deviations, joint),
                "consistent_value": number(found.consistent, joint),
            }
            for joint, name in enumerate(found.joints)
        },
        "success": found.success,
        "reasons": found.reasons,
    }
