"""The commands by name, loaded when they are called: help and version cost nothing of the rest."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class CommandEntry(NamedTuple):
    """Where a command is, and the line that the list of commands shows for it.

    Attributes:
        module: below dynid.cli.
        attribute: the command's function, or a Typer application with commands of its own.
        summary: the first line of its help.
    """

    module: str
    attribute: str
    summary: str


COMMANDS = {
    "excite": CommandEntry(
        "excite",
        "excite_command",
        "Find the most informative motion for a robot's parameters within its limits.",
    ),
    "check": CommandEntry(
        "check",
        "check_command",
        "Prove that a robot may play an excitation, or name what it violates first.",
    ),
    "identify": CommandEntry(
        "identify",
        "identify_command",
        "Identify the dynamic model of a robot, or its payload, from recordings of its motion.",
    ),
    "validate": CommandEntry(
        "identify",
        "validate_command",
        "Evaluate an identified model on recordings that it has not seen.",
    ),
    "diagnose": CommandEntry(
        "diagnose",
        "diagnose_command",
        "Find out why an identification is not good: exit code 1 where a cause is found.",
    ),
    "convert": CommandEntry(
        "recordings",
        "convert_command",
        "Write a recording, most often CSV, as a rosbag2 folder (MCAP).",
    ),
    "info": CommandEntry("recordings", "info_command", "Show what a recording holds."),
    "demo": CommandEntry(
        "demo",
        "demo_command",
        "Excite a simulated robot, record, identify, and validate on another motion.",
    ),
    "friction": CommandEntry(
        "friction",
        "friction_command",
        "Choose friction models by the error on recordings left out, and write a profile.",
    ),
    "drives": CommandEntry(
        "drives",
        "drives_command",
        "Compute torque factors and limits from the drives' data sheet, and write their files.",
    ),
    "drive-gains": CommandEntry(
        "drive_gains",
        "drive_gains_command",
        "Find the drives' torque constants, where motor current is recorded.",
    ),
    "import-dh": CommandEntry(
        "import_dh",
        "import_dh_command",
        "Make a URDF, and a profile to begin with, from a Denavit-Hartenberg table.",
    ),
    "payload-mass": CommandEntry(
        "payload",
        "payload_mass_command",
        "Weigh a payload, and locate its centre, from a robot at rest in a few poses.",
    ),
    "retrieve": CommandEntry(
        "retrieve",
        "retrieve_command",
        "Find physically consistent standard parameters from given base parameters.",
    ),
    "robots": CommandEntry(
        "robots",
        "robots_command",
        "List the robots that come with dynid: joints, base parameters, what they are ready for.",
    ),
    "tracking": CommandEntry(
        "tracking",
        "tracking_command",
        "Follow one motion with and without the model's torque, on the simulated robot.",
    ),
    "tune-collision": CommandEntry(
        "tune_collision",
        "tune_collision_command",
        "Set collision thresholds as low as a rate of false alarms allows.",
    ),
    "collisions": CommandEntry(
        "collisions",
        "collisions_command",
        "Play collision thresholds over recordings: each alarm, or how close it came to one.",
    ),
    "view": CommandEntry(
        "view",
        "view_command",
        "Show a robot, the path of its tool, and the torque errors of a model.",
    ),
    "model": CommandEntry(
        "model",
        "model_app",
        "What a model says at a point, along a recording, on paper, and as C code.",
    ),
}


class CommandGroup(TyperGroup):
    """Lists the commands by their summaries, and loads the one that is called."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  typer's own
        super().__init__(*args, **options)
        listed = {name: TyperCommand(name, help=one.summary) for name, one in COMMANDS.items()}
        self.commands = {**listed, **self.commands}

    def resolve_command(
        self,
        ctx: Any,  # noqa: ANN401  of click, which typer brings along in one form or another
        args: list[str],
    ) -> tuple[str | None, Any, list[str]]:
        """Load the command that the arguments name, and hand over to it."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)


def load_command(name: str) -> Any:  # noqa: ANN401  likewise
    """Import a command and all that it needs."""
    entry = COMMANDS[name]
    found: typer.Typer | Callable[..., None]
    found = getattr(import_module(f"dynid.cli.{entry.module}"), entry.attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command
