"""The command of servo arms, as the list of commands shows it."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

SERVO = CommandEntry(
    MODELS,
    "dynid_plugins.servo.cli.servo",
    "servo_app",
    "Identify gains and biases of servos without torque; roll models out.",
)
