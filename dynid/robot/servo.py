"""Servos: drives with a position loop whose law is known (the profile's ``servo``).

With the commanded position c, the joint's position q and velocity v, the loop's output is

    u = kp e - kd v,   e = c(t - delay) + bias - q,   e = 0 within the dead zone.

A servo with a resistance R is driven by voltage: u is the duty cycle of the supply U, limited to
``output_max``, and with the torque per ampere K behind the gear (which is also its back-EMF [V s])

    torque = K (U u - K v) / R.

Without one the servo controls its current, as a quasi-direct drive does, and u is the torque. For
a prismatic joint, torque means force. Arrays have one value for each joint in their last axis.

Data of the motors that come with dynid each name their source.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, field_validator, model_validator

from dynid.configuration import (
    PerJoint,
    PerJointNotNegative,
    PerJointPositive,
    Settings,
    parse,
    read_yaml,
)
from dynid.files import share_directories
from dynid.robot.drives import LARGEST, SMALLEST
from dynid.text import printable


class Servo(Settings):
    """Position loop and motor of servos, one value for all joints or one for each.

    The torque constant and the gear are those of ``drives``. Give ``supply_voltage`` and
    ``resistance`` for a servo driven by voltage (hobby servos); without them the output of its
    loop is a torque (quasi-direct drives).
    """

    supply_voltage: PerJointPositive | None = None
    """Supply voltage [V]; null: the loop's output is a torque."""
    resistance: PerJointPositive | None = None
    """Resistance of the motor's winding and its driver [Ohm]."""
    position_gain: PerJointPositive
    """Gain kp of the position error [duty per rad or m]; of a torque [N m/rad or N/m]."""
    velocity_gain: PerJointNotNegative = (0.0,)
    """Gain kd of the velocity [duty per rad/s or m/s]; of a torque [N m s/rad or N s/m]."""
    output_max: PerJointPositive = (1.0,)
    """Largest duty cycle, or torque [N m or N]."""
    dead_zone: PerJointNotNegative = (0.0,)
    """Position errors up to this size give no output [rad or m]."""
    bias: PerJoint = (0.0,)
    """Added to commands: zero of the commands minus zero of the positions [rad or m]."""
    delay: NonNegativeFloat = Field(default=0.0, le=10.0)
    """Time from the stamp of a command until it acts [s]."""
    loop_rate: PositiveFloat = Field(default=1000.0, ge=1.0, le=1e6)
    """Rate of the position loop [Hz]; the position it uses is half a period old on average."""

    @field_validator("position_gain", "output_max", "supply_voltage", "resistance")
    @classmethod
    def _can_be_computed_with(cls, values: tuple[float, ...] | None) -> tuple[float, ...] | None:
        for value in values or ():
            if not SMALLEST <= value <= LARGEST:
                raise ValueError(f"must be from {SMALLEST:g} to {LARGEST:g}, got {value:g}")
        return values

    @model_validator(mode="after")
    def _is_driven_by_voltage_or_torque(self) -> Servo:
        if (self.supply_voltage is None) != (self.resistance is None):
            raise ValueError(
                "supply_voltage [V] and resistance [Ohm] must be given together, or neither for a "
                "servo that controls its torque"
            )
        return self


QUANTITIES = MappingProxyType(
    {
        "torque_constant": "N·m/A",
        "resistance": "Ohm",
        "rotor_inertia": "kg·m²",
        "coulomb": "N·m",
        "viscous": "N·m·s/rad",
        "torque_max": "N·m",
        "velocity_max": "rad/s",
        "current_max": "A",
        "supply_voltage": "V",
        "output_max": "duty",
        "duty_per_gain": "1/rad",
    }
)
"""Quantities of a motor and their units, behind its gear. ``duty_per_gain`` is the duty cycle per
position error and unit of the gain P of its firmware; voltage and duty are those of the source."""


class MotorValue(Settings):
    """A value of a motor, behind its gear."""

    value: PositiveFloat
    """In the unit of ``QUANTITIES``."""
    standard_deviation: PositiveFloat | Literal["not stated"]
    """As the source states it, in the same unit."""
    source: str
    """Key of one of the motor's sources."""


class MotorSource(Settings):
    """Where values were read."""

    name: str
    """Of the source, with the kind of measurement."""
    url: str
    """Of the version that was read."""
    licence: str
    """Of the source."""


class Motor(Settings):
    """A motor with its gear and driver: a file of ``config/motors``."""

    label: str
    """Its name in text."""
    values: dict[str, MotorValue]
    """By the names of ``QUANTITIES``; only what a source states."""
    sources: dict[str, MotorSource]
    """By their keys."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Motor:
        for name, value in self.values.items():
            if name not in QUANTITIES:
                raise ValueError(f"'{name}' must be one of {', '.join(QUANTITIES)}")
            if value.source not in self.sources:
                raise ValueError(f"the source '{value.source}' of '{name}' must be in 'sources'")
        return self


def load_motor(path: Path) -> Motor:
    """Return the motor of a file.

    Raises:
        ConfigurationError: it cannot be read, or a key or value is invalid.
    """
    return parse(Motor, read_yaml(path), printable(path))


def shipped_motors() -> Mapping[str, Motor]:
    """Return the motors that come with dynid, by the names of their files."""
    paths = [p for root in share_directories()[:1] for p in root.glob("config/motors/*.yaml")]
    return {path.stem: load_motor(path) for path in sorted(paths)}
