"""The commands of the laboratory, as the list of commands shows them."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

RETRIEVE = CommandEntry(
    MODELS,
    "dynid_plugins.laboratory.cli.retrieve",
    "retrieve_command",
    "Find physical parameters for given base parameters.",
    family="model",
)
