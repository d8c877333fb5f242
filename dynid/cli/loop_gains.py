"""``dynid model gains``: gains of the loops of drives from identified inertias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.named_model import OrProfile, named_model, origin
from dynid.cli.options import AsJson, OptionalModel, Set, Urdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from dynid.control.loop_gains import CascadeGains


def gains_command(
    delay: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="From the measurement of a position until the torque that follows acts: half a "
            "cycle of the velocity loop, its filter, and the current loop.",
        ),
    ],
    margin: Annotated[
        float, typer.Option(metavar="DEGREES", help="Phase margin of both loops, 30 to 70.")
    ] = 60.0,
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Compute gains of the drives' position and velocity loops, with bandwidths and margins.

    The largest gains with the phase margin at the smallest and the largest inertia of each joint in
    its workspace. Elasticity of the gears is left out: with it, choose a longer delay.
    """
    from dynid.control.loop_gains import loop_gains
    from dynid.report.terminal.console import print_json, print_text, result_console

    chosen = named_model(model, profile, urdf, settings)
    found = loop_gains(chosen, delay, margin)
    if as_json:
        from dynid.json_text import json_fields

        print_json({"delay": delay, "joints": [json_fields(one) for one in found]})
        return
    console = result_console()
    print_text(console, f"{chosen.robot.name}: {origin(chosen)}")
    _print(console, found)
    print_text(
        console,
        "SI units at the joint; for a motor's side divide inertia and velocity gain by the square "
        "of the gear ratio.",
    )


def _print(console: Console, found: Sequence[CascadeGains]) -> None:
    from dynid.report.terminal.console import roomy
    from dynid.report.terminal.tables import table
    from dynid.text import significant

    rows = table("joint", "inertia", "Kp", "Ti [s]", "Kv [1/s]", "velocity loop", "position loop")
    for one in found:
        low, high = (significant(value) for value in one.inertia)
        rows.add_row(
            one.joint,
            low if low == high else f"{low} to {high}",
            significant(one.velocity_gain),
            significant(one.integral_time),
            significant(one.position_gain),
            f"{one.velocity_bandwidth:.1f} Hz, {one.velocity_margin:.0f} deg",
            f"{one.position_bandwidth:.1f} Hz, {one.position_margin:.0f} deg",
        )
    roomy(console).print(rows)
