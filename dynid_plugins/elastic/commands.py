"""The commands of elastic joints, as the list of commands shows them."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

ELASTIC = CommandEntry(
    MODELS,
    "dynid_plugins.elastic.cli.elastic",
    "elastic_command",
    "Identify stiffness, damping and backlash of joints with two encoders.",
    family="identify",
)
