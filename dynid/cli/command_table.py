"""Where each command is, and how the list of commands shows it.

The core's are here; a plug-in registers its own as entry points. A name of two words is a command
below another one, which may be a command itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ROBOTS, MOTIONS, RECORDINGS = "Robots", "Motions", "Recordings"
MODELS, CONTROL = "Models", "Control"


class CommandEntry(NamedTuple):
    """Where a command is, and how the list of commands shows it.

    Attributes:
        group: its heading in the list.
        module: in which it is implemented; imported when the command is called. "" for a name that
            has commands below it alone.
        attribute: the command's function, or a Typer application with commands of its own.
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


CORE_COMMANDS = {
    "demo": CommandEntry(
        ROBOTS,
        "dynid.cli.demo",
        "demo_command",
        "Record, identify and validate a simulated robot.",
        {"--robot": "--profile"},
    ),
    "start": CommandEntry(
        ROBOTS,
        "dynid.cli.start.command",
        "start_command",
        "Go from a robot to its model step by step, on a page in a browser.",
    ),
    "robots": CommandEntry(
        ROBOTS, "dynid.cli.robots", "robots_command", "List the robots that come with dynid."
    ),
    "doctor": CommandEntry(
        ROBOTS,
        "dynid.cli.doctor",
        "doctor_command",
        "Say what dynid can do on this machine, and how to get the rest.",
    ),
    "view": CommandEntry(
        ROBOTS,
        "dynid.cli.view",
        "view_command",
        "Show a robot and its motion in a browser or as a picture.",
    ),
    "new": CommandEntry(
        ROBOTS, "dynid.cli.new", "new_command", "Make a profile from a URDF, a xacro or an MJCF."
    ),
    "new dh": CommandEntry(
        ROBOTS,
        "dynid.cli.import_dh",
        "import_dh_command",
        "Make a URDF and a profile from a Denavit-Hartenberg table.",
    ),
    "excite": CommandEntry(
        MOTIONS,
        "dynid.cli.excite",
        "excite_command",
        "Optimise an excitation motion within the robot's limits.",
    ),
    "check": CommandEntry(
        MOTIONS,
        "dynid.cli.check",
        "check_command",
        "Check a motion against all limits of the robot.",
    ),
    "check limits": CommandEntry(
        MOTIONS,
        "dynid.cli.limits",
        "limits_command",
        "Find accelerations that keep torques within the drives' limits.",
    ),
    "info": CommandEntry(
        RECORDINGS,
        "dynid.cli.recordings",
        "info_command",
        "Show the contents of a recording, and what in it contradicts itself.",
    ),
    "info convert": CommandEntry(
        RECORDINGS,
        "dynid.cli.recordings",
        "convert_command",
        "Convert a recording, such as CSV, to rosbag2 (MCAP).",
    ),
    "diagnose": CommandEntry(
        RECORDINGS,
        "dynid.cli.diagnose",
        "diagnose_command",
        "Find problems in recordings or a model, with remedies.",
    ),
    "identify": CommandEntry(
        MODELS, "dynid.cli.identify", "identify_command", "Identify the dynamic model of a robot."
    ),
    "identify friction": CommandEntry(
        MODELS, "dynid.cli.friction", "friction_command", "Select the friction model of each joint."
    ),
    "validate": CommandEntry(
        MODELS, "dynid.cli.identify", "validate_command", "Evaluate a model on unseen recordings."
    ),
    "payload": CommandEntry(
        MODELS, "", "", "Identify a payload, measure it at rest, write it for a controller."
    ),
    "payload identify": CommandEntry(
        MODELS,
        "dynid.cli.payload_identify",
        "payload_identify_command",
        "Identify a payload with a known model of the robot.",
    ),
    "payload measure": CommandEntry(
        MODELS,
        "dynid.cli.payload_identify",
        "payload_measure_command",
        "Measure a payload's mass and centre with the robot at rest.",
    ),
    "payload write": CommandEntry(
        MODELS,
        "dynid.cli.payload_write",
        "payload_write_command",
        "Write a payload as the robot's own controller takes it.",
    ),
    "model": CommandEntry(
        MODELS,
        "dynid.cli.model",
        "model_app",
        "Compute with a model: matrices, torques, formulas, C code.",
    ),
    "model compare": CommandEntry(
        MODELS,
        "dynid.cli.compare",
        "compare_command",
        "Compare two models: parameters, torques, errors on recordings.",
    ),
    "drives": CommandEntry(
        CONTROL,
        "dynid.cli.drives",
        "drives_command",
        "Compute torque factors of drives, and write EtherCAT files.",
    ),
    "drives gains": CommandEntry(
        CONTROL,
        "dynid.cli.drive_gains",
        "drive_gains_command",
        "Identify the torque constants of the drives.",
    ),
    "tracking": CommandEntry(
        CONTROL,
        "dynid.cli.tracking",
        "tracking_command",
        "Simulate tracking with and without feedforward torque.",
        {"--robot": "--profile"},
    ),
    "collisions": CommandEntry(
        CONTROL, "", "", "Tune collision thresholds, test them, estimate contact forces."
    ),
    "collisions tune": CommandEntry(
        CONTROL,
        "dynid.cli.tune_collision",
        "tune_collision_command",
        "Tune collision thresholds on recordings of free motion.",
    ),
    "collisions play": CommandEntry(
        CONTROL,
        "dynid.cli.collisions",
        "collisions_command",
        "Test collision thresholds on recordings.",
    ),
    "collisions wrench": CommandEntry(
        CONTROL,
        "dynid.cli.wrench",
        "wrench_command",
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
