"""What ``dynid --help`` lists of the simulators; setup.cfg registers the entry."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

EXPORT = CommandEntry(
    MODELS,
    "dynid_plugins.simulators.cli.export",
    "export_command",
    "Write a model to the file of a simulator: MJCF, SDF, URDF or USD.",
    family="model",
)
