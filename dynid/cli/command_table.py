"""Where each command is, and how the list of commands shows it.

The core's are here; a plug-in registers its own as entry points. A name of two words is a command
below another one, which may be a command itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

ROBOTS, MOTIONS, RECORDINGS = "Robots", "Motions", "Recordings"
MODELS, CONTROL = "Models", "Control"


class CommandEntry(NamedTuple):
    """Where a command is, and how the list of commands shows it.

    Attributes:
        group: its heading in the list.
        module: in which it is implemented; imported when the command is called. "" for a name that
            has commands below it alone.
        attribute: the command's function, or a Typer application with commands of its own; "" for
            ``NAME_command``, with the words of its name.
        summary: the first line of its help.
        old_options: former names of options, which still work, with the present ones.
        extra: what pip installs if a library is missing; of a plug-in, its entry point names it.
        family: of a plug-in, the command that it is below, such as ``model``; "" if it is below
            none.
    """

    group: str
    module: str
    attribute: str
    summary: str
    old_options: Mapping[str, str] = {}
    extra: str = ""
    family: str = ""


def _core(
    group: str, module: str, summary: str, old_options: Mapping[str, str] = MappingProxyType({})
) -> CommandEntry:
    """Return the entry of a command of the core; without a module, it has those below it alone."""
    return CommandEntry(group, module and f"dynid.cli.{module}", "", summary, old_options)


CORE_COMMANDS = {
    "demo": _core(
        ROBOTS, "demo", "Record, identify and validate a simulated robot.", {"--robot": "--profile"}
    ),
    "start": _core(
        ROBOTS,
        "start.command",
        "Go from a robot to its model step by step, on a page in a browser.",
    ),
    "robots": _core(ROBOTS, "robots", "List the robots that come with dynid."),
    "doctor": _core(
        ROBOTS, "doctor", "Say what dynid can do on this machine, and how to get the rest."
    ),
    "view": _core(ROBOTS, "view", "Show a robot and its motion in a browser or as a picture."),
    "new": _core(ROBOTS, "new", "Make a profile from a URDF, a xacro or an MJCF."),
    "new dh": _core(ROBOTS, "new", "Make a URDF and a profile from a Denavit-Hartenberg table."),
    "excite": _core(MOTIONS, "excite", "Optimise an excitation motion within the robot's limits."),
    "check": _core(MOTIONS, "check", "Check a motion against all limits of the robot."),
    "check limits": _core(
        MOTIONS, "check", "Find accelerations that keep torques within the drives' limits."
    ),
    "info": _core(
        RECORDINGS,
        "recordings",
        "Show the contents of a recording, and what in it contradicts itself.",
    ),
    "info convert": _core(
        RECORDINGS, "recordings", "Convert a recording, such as CSV, to rosbag2 (MCAP)."
    ),
    "diagnose": _core(
        RECORDINGS, "diagnose", "Find problems in recordings or a model, with remedies."
    ),
    "identify": _core(MODELS, "identify", "Identify the dynamic model of a robot."),
    "identify friction": _core(MODELS, "identify", "Select the friction model of each joint."),
    "validate": _core(MODELS, "identify", "Evaluate a model on unseen recordings."),
    "payload": _core(
        MODELS, "", "Identify a payload, measure it at rest, write it for a controller."
    ),
    "payload identify": _core(
        MODELS, "payload", "Identify a payload with a known model of the robot."
    ),
    "payload measure": _core(
        MODELS, "payload", "Measure a payload's mass and centre with the robot at rest."
    ),
    "payload write": _core(
        MODELS, "payload", "Write a payload as the robot's own controller takes it."
    ),
    "model": _core(MODELS, "model", "Compute with a model: matrices, torques, formulas, C code."),
    "model compare": _core(
        MODELS, "model", "Compare two models: parameters, torques, errors on recordings."
    ),
    "drives": _core(
        CONTROL, "drives", "Compute torque factors of drives, and write EtherCAT files."
    ),
    "drives gains": _core(CONTROL, "drives", "Identify the torque constants of the drives."),
    "tracking": _core(
        CONTROL,
        "tracking",
        "Simulate tracking with and without feedforward torque.",
        {"--robot": "--profile"},
    ),
    "collisions": _core(
        CONTROL, "", "Tune collision thresholds, test them, estimate contact forces."
    ),
    "collisions tune": _core(
        CONTROL, "collisions", "Tune collision thresholds on recordings of free motion."
    ),
    "collisions play": _core(CONTROL, "collisions", "Test collision thresholds on recordings."),
    "collisions wrench": _core(
        CONTROL,
        "wrench",
        "Estimate external wrenches and the link in contact, without a force sensor.",
    ),
}
"""In the order of the list: groups, and commands in them, as a user needs them."""

RENAMED = {
    "collisions": "collisions play",
    "compare": "model compare",
    "convert": "info convert",
    "drift": "fleet drift",
    "drive-gains": "drives gains",
    "export": "model export",
    "friction": "identify friction",
    "identify --payload": "payload identify",
    "import-dh": "new dh",
    "limits": "check limits",
    "payload": "payload write",
    "payload-mass": "payload measure",
    "retrieve": "model retrieve",
    "tune-collision": "collisions tune",
    "wrench": "collisions wrench",
}
"""Former words of commands, and the present ones."""

GUESSED = {
    "check": "collide limit verify",
    "collisions": "contact contacts threshold thresholds",
    "demo": "example sim simulate simulation",
    "excite": "excitation motion optimise optimize trajectory",
    "identify": "calibrate estimate fit id report train",
    "info": "inspect ls show",
    "new": "create init profile setup",
    "robots": "list",
    "start": "gui serve ui web",
    "validate": "evaluate predict score test",
    "view": "plot visualise visualize viz",
}
"""Words that are guessed for commands, by the commands that are meant."""
