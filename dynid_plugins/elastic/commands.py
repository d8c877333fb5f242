"""The commands of elastic joints, as the list of commands shows them."""

from __future__ import annotations

from dynid.cli.command_table import CONTROL, MODELS, CommandEntry

ELASTIC = CommandEntry(
    MODELS,
    "dynid_plugins.elastic.cli.elastic",
    "elastic_command",
    "Identify stiffness, damping and backlash of joints with two encoders.",
    family="identify",
)
RESONANCE = CommandEntry(
    MODELS,
    "dynid_plugins.elastic.cli.resonance",
    "resonance_command",
    "Identify resonances of joints from torque and motor encoders alone.",
    family="identify",
)
FLATNESS = CommandEntry(
    CONTROL,
    "dynid_plugins.elastic.cli.flatness",
    "flatness_command",
    "Simulate elastic joints with rigid and with flatness-based feedforward.",
    family="tracking",
)
