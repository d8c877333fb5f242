"""The column map: which column of a CSV file is which signal of which joint."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StrictBool, StrictInt, StrictStr, field_validator, model_validator

from dynid.configuration import Settings
from dynid.text import listed

Column = Annotated[StrictInt, Field(ge=1)] | Annotated[StrictStr, Field(min_length=1)]
"""A column by its name in the header, or by its number, counted from 1."""

Positive = Annotated[float, Field(gt=0)]
Numbers = float | tuple[float, ...]

_DAY = 86400.0  # [s]
_MIDNIGHT_STEP = 60.0  # [s] longest step over midnight; a clock that was set back goes less far


def _sibling(name: str | None) -> str | None:
    if name is not None and (name in ("", ".", "..") or PurePath(name).name != name):
        raise ValueError(f"must be the name of a file beside the recording, got '{name}'")
    return name


class TimeColumn(Settings):
    """The time column; ``factor`` converts it to seconds."""

    column: Column
    """Name or number of the column."""
    factor: Positive = 1.0
    """Factor from the raw value to seconds."""
    nanoseconds: Column | None = None
    """Column of nanoseconds to add, for stamps such as ``sec`` and ``nanosec``; null: none."""
    file: str | None = None
    """File beside the recording that holds the column; null: the recording itself."""

    _file_is_a_sibling = field_validator("file")(_sibling)

    def columns(self) -> list[Column]:
        """Return the column, and that of the nanoseconds if there is one."""
        return [self.column] if self.nanoseconds is None else [self.column, self.nanoseconds]

    def seconds(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return times (N,) [s] of the values (N, 1 or 2) of :meth:`columns`."""
        with np.errstate(over="ignore"):
            times: NDArray[np.float64] = values[:, 0] * self.factor
            if self.nanoseconds is not None:
                return times + values[:, 1] * 1e-9
            return _past_midnight(times)


def _past_midnight(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return times of day (N,) [s] that go on after midnight."""
    steps = np.diff(times, prepend=times[:1])
    midnight = (steps < _MIDNIGHT_STEP - _DAY) & (steps > -_DAY)
    of_a_day = midnight.any() and np.nanmin(times) >= 0 and np.nanmax(times) < _DAY
    return times + _DAY * np.cumsum(midnight) if of_a_day else times


class SignalColumns(Settings):
    """One signal of all joints: ``value = sign * factor * raw + offset``, ``delay`` earlier.

    ``factor``, ``sign``, ``offset`` and ``delay`` are one number for all joints or a list with one
    for each.
    ``file`` is the name of a file with the columns in the recording's folder.
    """

    columns: tuple[Column, ...] = Field(min_length=1)
    """One column for each joint."""
    factor: Numbers = 1.0
    """Factor from the raw value to SI units."""
    sign: Numbers = 1.0
    """1 or -1."""
    offset: Numbers = 0.0
    """Added after scaling, in SI units."""
    delay: Numbers = 0.0
    """Time by which the values were recorded later than the others; they are shifted back [s]."""
    file: str | None = None
    """File beside the recording that holds the columns; null: the recording itself."""
    time: TimeColumn | None = None
    """Time column of these columns, where their file has its own times; null: the recording's, or
    the column of that name in their file."""

    _file_is_a_sibling = field_validator("file")(_sibling)

    @field_validator("factor")
    @classmethod
    def _factor_keeps_the_signal(cls, factor: Numbers) -> Numbers:
        if 0.0 in _listed(factor):
            raise ValueError("must not be 0")
        return factor

    @field_validator("sign")
    @classmethod
    def _sign_is_a_sign(cls, sign: Numbers) -> Numbers:
        for value in _listed(sign):
            if value not in (-1.0, 1.0):
                raise ValueError(f"must be 1 or -1, got {value:g}")
        return sign

    @model_validator(mode="after")
    def _lists_fit(self) -> SignalColumns:
        for name in ("factor", "sign", "offset", "delay"):
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != len(self.columns):
                raise ValueError(
                    f"{name} lists {len(value)} numbers for {len(self.columns)} columns"
                )
        return self

    def scaling(self) -> tuple[tuple[float, float], ...]:
        """(signed factor, offset) of each column."""
        count = len(self.columns)
        return tuple(
            (sign * factor, offset)
            for factor, sign, offset in zip(
                _listed(self.factor, count),
                _listed(self.sign, count),
                _listed(self.offset, count),
                strict=True,
            )
        )

    def delays(self) -> tuple[float, ...]:
        """Return the delay of each column [s]."""
        return _listed(self.delay, len(self.columns))


class ColumnMap(Settings):
    """How to read CSV files as a recording. Every list is in the order of ``joints``."""

    delimiter: Annotated[str, Field(min_length=1)] | None = None
    """One character, or ``whitespace``; null: detected."""
    header: StrictBool | Literal["auto"] = "auto"
    """Whether the first row holds the names of the columns; ``auto``: detected."""
    time: TimeColumn | None = None
    """The time column; null: ``sampling_rate`` is given."""
    sampling_rate: Positive | None = None
    """Constant sampling rate of a file without a time column [Hz]."""
    joints: tuple[str, ...] = Field(min_length=1)
    """Names of the joints, in the order of all lists below."""
    position: SignalColumns
    """Columns of the positions [rad or m]."""
    velocity: SignalColumns | None = None
    """Columns of the velocities [rad/s or m/s]; null: not recorded."""
    effort: SignalColumns
    """Columns of the efforts, in the unit of ``drives.effort``."""
    temperature: SignalColumns | None = None
    """Columns of the temperatures of joints or motors [°C], from which the report shows whether
    torque errors depend on them; null: not recorded."""

    @field_validator("joints")
    @classmethod
    def _joints_are_distinct(cls, joints: tuple[str, ...]) -> tuple[str, ...]:
        for joint in joints:
            if joints.count(joint) > 1:
                raise ValueError(f"joint '{joint}' is listed more than once")
        return joints

    @field_validator("delimiter")
    @classmethod
    def _delimiter_is_one_character(cls, delimiter: str | None) -> str | None:
        if delimiter in (None, "whitespace"):
            return delimiter
        if len(delimiter or "") != 1:
            raise ValueError("must be one character, or 'whitespace'")
        return "whitespace" if delimiter == " " else delimiter

    @model_validator(mode="after")
    def _parts_fit(self) -> ColumnMap:
        if (self.time is None) == (self.sampling_rate is None):
            raise ValueError("exactly one of 'time' and 'sampling_rate' must be given")
        for name, signal in {**self.signals(), "temperature": self.temperature}.items():
            if signal is not None and len(signal.columns) != len(self.joints):
                raise ValueError(
                    f"{name} lists {len(signal.columns)} columns for {len(self.joints)} joints"
                )
        if self.temperature is not None and any(self.temperature.delays()):
            raise ValueError("temperature changes slowly and has no 'delay'")
        return self

    @property
    def has_delays(self) -> bool:
        """Whether a signal was recorded later than others."""
        return any(any(signal.delays()) for signal in self.signals().values())

    def delay_notes(self) -> tuple[str, ...]:
        """Return a sentence on each signal that is shifted back."""
        return tuple(
            f"The {name} was moved {listed([f'{1e3 * d:.4g}' for d in sorted(set(delays))])} ms "
            "back in time (delay of the column map)."
            for name, signal in self.signals().items()
            if any(delays := signal.delays())
        )

    def signals(self) -> dict[str, SignalColumns]:
        """Return the mapped signals of the motion by name; temperatures are none of them."""
        signals = {"position": self.position, "velocity": self.velocity, "effort": self.effort}
        return {name: signal for name, signal in signals.items() if signal is not None}


def _listed(value: Numbers, count: int = 1) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else (value,) * count
