"""The commands of elastic joints, as the list of commands shows them."""

from __future__ import annotations

from dynid.cli.command_table import CONTROL, MODELS, MOTIONS, CommandEntry

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
MULTISINE = CommandEntry(
    MOTIONS,
    "dynid_plugins.elastic.cli.multisine",
    "multisine_command",
    "Make a multisine for each elastic joint, to identify stiffness from the motor alone.",
    family="excite",
)
FLATNESS = CommandEntry(
    CONTROL,
    "dynid_plugins.elastic.cli.flatness",
    "flatness_command",
    "Simulate elastic joints with rigid and with flatness-based feedforward.",
    family="tracking",
)
