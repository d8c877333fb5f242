"""What ``dynid --help`` lists of fleet and drift; setup.cfg registers both entries."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

DRIFT = CommandEntry(
    MODELS,
    "dynid_plugins.fleet.cli.drift",
    "drift_command",
    "Detect changes of a robot over many recordings.",
    family="fleet",
)
FLEET = CommandEntry(
    MODELS,
    "dynid_plugins.fleet.cli.fleet",
    "fleet_app",
    "Identify a fleet's recordings on many processes, and detect what changes.",
)
