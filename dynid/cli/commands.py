"""The commands by name, loaded when they are called: help and version import nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import cleandoc
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from dynid.cli.input_files import keeping_inputs

ROBOTS, MOTIONS, RECORDINGS = "Robots", "Motions", "Recordings"
MODELS, CONTROL = "Models", "Control"


class CommandEntry(NamedTuple):
    """Where a command is, and how the list of commands shows it.

    Attributes:
        group: its heading in the list.
        module: below dynid.cli.
        attribute: the command's function, or a Typer application with commands of its own.
        summary: the first line of its help.
        old_options: former names of options, which still work, with the present ones.
    """

    group: str
    module: str
    attribute: str
    summary: str
    old_options: Mapping[str, str] = {}


COMMANDS = {
    "demo": CommandEntry(
        ROBOTS,
        "demo",
        "demo_command",
        "Record, identify and validate a simulated robot.",
        {"--robot": "--profile"},
    ),
    "robots": CommandEntry(
        ROBOTS, "robots", "robots_command", "List the robots that come with dynid."
    ),
    "view": CommandEntry(
        ROBOTS, "view", "view_command", "Show a robot and its motion in a browser or as a picture."
    ),
    "new": CommandEntry(
        ROBOTS, "new", "new_command", "Make a profile from a URDF, a xacro or an MJCF."
    ),
    "import-dh": CommandEntry(
        ROBOTS,
        "import_dh",
        "import_dh_command",
        "Make a URDF and a profile from a Denavit-Hartenberg table.",
    ),
    "excite": CommandEntry(
        MOTIONS,
        "excite",
        "excite_command",
        "Optimise an excitation motion within the robot's limits.",
    ),
    "check": CommandEntry(
        MOTIONS, "check", "check_command", "Check a motion against all limits of the robot."
    ),
    "info": CommandEntry(
        RECORDINGS, "recordings", "info_command", "Show the contents of a recording."
    ),
    "convert": CommandEntry(
        RECORDINGS,
        "recordings",
        "convert_command",
        "Convert a recording, such as CSV, to rosbag2 (MCAP).",
    ),
    "diagnose": CommandEntry(
        RECORDINGS,
        "diagnose",
        "diagnose_command",
        "Find problems in recordings or a model, with remedies.",
    ),
    "identify": CommandEntry(
        MODELS,
        "identify",
        "identify_command",
        "Identify the dynamic model of a robot, or its payload.",
    ),
    "validate": CommandEntry(
        MODELS, "identify", "validate_command", "Evaluate a model on unseen recordings."
    ),
    "compare": CommandEntry(
        MODELS,
        "compare",
        "compare_command",
        "Compare two models: parameters, torques, errors on recordings.",
    ),
    "drift": CommandEntry(
        MODELS,
        "drift",
        "drift_command",
        "Detect changes of a robot over many recordings.",
    ),
    "fleet": CommandEntry(
        MODELS,
        "fleet",
        "fleet_app",
        "Identify a fleet's recordings on many processes, and detect what changes.",
    ),
    "friction": CommandEntry(
        MODELS, "friction", "friction_command", "Select the friction model of each joint."
    ),
    "payload": CommandEntry(
        MODELS,
        "payload",
        "payload_command",
        "Write a payload as the robot's own controller takes it.",
    ),
    "payload-mass": CommandEntry(
        MODELS,
        "payload_mass",
        "payload_mass_command",
        "Measure a payload's mass and centre with the robot at rest.",
    ),
    "drive-gains": CommandEntry(
        MODELS,
        "drive_gains",
        "drive_gains_command",
        "Identify the torque constants of the drives.",
    ),
    "servo": CommandEntry(
        MODELS,
        "servo",
        "servo_app",
        "Identify gains and biases of servos without torque; roll models out.",
    ),
    "retrieve": CommandEntry(
        MODELS,
        "retrieve",
        "retrieve_command",
        "Find physical parameters for given base parameters.",
    ),
    "export": CommandEntry(
        MODELS,
        "export",
        "export_command",
        "Write a model to the file of a simulator: MJCF, SDF, URDF or USD.",
    ),
    "model": CommandEntry(
        MODELS,
        "model",
        "model_app",
        "Compute with a model: matrices, torques, formulas, C code.",
    ),
    "limits": CommandEntry(
        CONTROL,
        "limits",
        "limits_command",
        "Find accelerations that keep torques within the drives' limits.",
    ),
    "drives": CommandEntry(
        CONTROL,
        "drives",
        "drives_command",
        "Compute torque factors of drives, and write EtherCAT files.",
    ),
    "tracking": CommandEntry(
        CONTROL,
        "tracking",
        "tracking_command",
        "Simulate tracking with and without feedforward torque.",
        {"--robot": "--profile"},
    ),
    "tune-collision": CommandEntry(
        CONTROL,
        "tune_collision",
        "tune_collision_command",
        "Tune collision thresholds on recordings of free motion.",
    ),
    "collisions": CommandEntry(
        CONTROL,
        "collisions",
        "collisions_command",
        "Test collision thresholds on recordings.",
    ),
    "wrench": CommandEntry(
        CONTROL,
        "wrench",
        "wrench_command",
        "Estimate external wrenches and the link in contact, without a force sensor.",
    ),
}
"""In the order of the list: groups, and commands in them, as a user needs them."""


class RenamingCommand(TyperCommand):
    """A command that still accepts former names of its options; help does not show them."""

    old_options: Mapping[str, str] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  of click
        """Parse arguments after replacing former names."""
        return super().parse_args(ctx, [self._renamed(argument) for argument in args])

    def _renamed(self, argument: str) -> str:
        name, equals, value = argument.partition("=")
        return f"{self.old_options.get(name, name)}{equals}{value}"


class CommandGroup(TyperGroup):
    """Lists the commands by their summaries, and loads the one that is called."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  typer's own
        super().__init__(*args, **options)
        listed = {
            name: TyperCommand(name, help=command.summary, rich_help_panel=command.group)
            for name, command in COMMANDS.items()
        }
        self.commands = {**listed, **self.commands}
        plain_help(self)

    def resolve_command(
        self,
        ctx: Any,  # noqa: ANN401  of click, which typer brings along in one form or another
        args: list[str],
    ) -> tuple[str | None, Any, list[str]]:
        """Load the command that the arguments name, and return it."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)


IN_PLACE = ("seal",)
"""Commands that write to their input."""


def load_command(name: str) -> Any:  # noqa: ANN401  likewise
    """Import a command and all that it needs."""
    entry = COMMANDS[name]
    app: typer.Typer | Callable[..., None]
    app = getattr(import_module(f"dynid.cli.{entry.module}"), entry.attribute)
    if not isinstance(app, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name, cls=RenamingCommand)(app)
        app = alone
    for registered in app.registered_commands:
        if registered.callback is not None and registered.name not in IN_PLACE:
            registered.callback = keeping_inputs(registered.callback)
    command = typer.main.get_command(app)
    command.name = name
    if isinstance(command, RenamingCommand):
        command.old_options = entry.old_options
    plain_help(command)
    return command


def plain_help(command: Any) -> None:  # noqa: ANN401  likewise
    """Make all help of a command plain text, in paragraphs that wrap where the terminal ends.

    Square brackets are escaped, so that ``[m]`` is a unit and not markup. Flags show no type.
    """
    for parameter in command.params:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    for parameter in (command, *command.params):
        for attribute in ("help", "short_help", "epilog"):
            text = getattr(parameter, attribute, None)
            if text:
                setattr(
                    parameter, attribute, _plain(text, getattr(command, "rich_markup_mode", None))
                )
    for below in getattr(command, "commands", {}).values():
        plain_help(below)


def _plain(text: str, markup_mode: str | None) -> str:
    paragraphs = cleandoc(text).split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    if markup_mode != "rich" or "[" not in text:
        return text
    from rich.markup import escape

    return escape(text)
