"""Data of motors that come with dynid, each value with its source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import PositiveFloat, model_validator

from dynid.configuration import Settings, parse, read_yaml
from dynid.files import share_directories
from dynid.text import printable

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
