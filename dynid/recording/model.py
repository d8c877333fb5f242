"""A recording: uniformly sampled, complete, and read-only."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dynid.arguments import check_type
from dynid.arrays import as_numbers
from dynid.errors import ArgumentError, PreprocessingError
from dynid.notebook import Shown, data_frame, html_lines
from dynid.plugins import on_use
from dynid.recording.position_step import position_steps
from dynid.text import printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from dynid.recording.columns import ColumnMap
    from dynid.recording.temperature import Temperature

FEWEST_SAMPLES = 10
"""Shorter recordings and spans are refused, as derivatives and fits would be meaningless."""

# tolerance of a span's limits, which are decimal numbers [samples]
_ON_THE_LIMIT = 1e-6
# largest difference of a step of time from the others; the times may be rounded
_UNEQUAL_STEPS = 0.01


@dataclass(frozen=True)
class Source:
    """Source of samples.

    Attributes:
        name: printable file name without folder; or the topic, if live.
        sha256: hexadecimal digest of the file's content, or of the messages.
        kind: ``"rosbag2 mcap"``, ``"rosbag2 sqlite3"``, ``"rosbag1"``, ``"csv"``, ``"npz"``,
            ``"mat"`` and other endings of tables, ``"softMC rec"``, ``"lerobot"``, ``"arrays"`` or
            ``"live"``.
        topic: the topic, for a bag or live.
        start_time: stamp of the recording's first sample [ns], for a bag or live.
        path: of the file, where it was read in this process; it is not stored with results.
        temperature: mean of the joints along the recording [°C], where a model was identified from
            it; None if not recorded.
    """

    name: str
    sha256: str
    kind: str
    topic: str | None = None
    start_time: int | None = None
    path: Path | None = field(default=None, compare=False, repr=False)
    temperature: float | None = None

    def __post_init__(self) -> None:
        """Make the name printable for reports, YAML and JSON."""
        object.__setattr__(self, "name", printable(self.name))


def source_names(sources: Iterable[Source]) -> str:
    """Return the names of sources, separated by commas; empty without any."""
    return ", ".join(source.name for source in sources)


@dataclass(frozen=True, eq=False)
class Recording(Shown):
    """One uniformly sampled motion of a robot.

    Several recordings are never joined in time. Where samples are missing, values are interpolated;
    those in ``gaps`` say nothing of the motion, and :attr:`pieces` are the parts between them.
    ``recording[2.0:8.0]`` is a span in seconds, as :meth:`cut` returns it.

    Attributes:
        time: (N,) [s], starts at 0, steps of ``1 / sampling_rate``.
        position: (N, n) [rad or m].
        effort: (N, n), in the unit of the source (Nm, N, A, ...).
        velocity: (N, n) [rad/s or m/s]; None if not measured.
        joint_names: n names, in the order of the columns; if not given, ``joint_1`` etc.
        sampling_rate: [Hz]; if not given, that of equal steps of ``time``, from where it starts.
        sources: the files that were read.
        repairs: one sentence with a count for each kind of repair, in order.
        position_step: (n,) step between positions before any interpolation, 0 where there is none
            [rad or m]; None: found in ``position``.
        temperature: of the joints, at times of its own; None if not recorded.
        missing: (N,) which samples were not measured; None: all were.
        gaps: (first, past the last) of stretches of missing samples that are too long to be
            interpolated.
        piece: number of this piece of a recording with gaps; None: it is whole.
        averaged: number of recorded samples of which each sample is the mean.
        link_position: (N, n) of the links behind elastic gears [rad or m], those of the motors
            where a joint has no encoder there; None: not measured.
    """

    time: NDArray[np.float64]
    position: NDArray[np.float64]
    effort: NDArray[np.float64]
    _: KW_ONLY
    velocity: NDArray[np.float64] | None = None
    joint_names: tuple[str, ...] = ()
    sampling_rate: float = 0.0
    sources: tuple[Source, ...] = ()
    repairs: tuple[str, ...] = ()
    position_step: NDArray[np.float64] | None = None
    temperature: Temperature | None = None
    missing: NDArray[np.bool_] | None = None
    gaps: tuple[tuple[int, int], ...] = ()
    piece: int | None = None
    averaged: int = 1
    link_position: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Check the shapes, and copy every array as read-only unless it is :func:`frozen`."""
        if not self.sampling_rate:
            time, rate = _from_zero(self.time)
            object.__setattr__(self, "time", time)
            object.__setattr__(self, "sampling_rate", rate)
        object.__setattr__(self, "joint_names", self._names())
        names = self.joint_names
        shape = (len(self.time), len(names))
        for name in ("time", "position", "velocity", "effort", "link_position"):
            values = getattr(self, name)
            if values is None and name in {"velocity", "link_position"}:
                continue
            expected = shape[:1] if name == "time" else shape
            array = values if _is_frozen(values) else as_numbers(f"Recording(): {name}", values)
            if array.shape != expected:
                message = f"Recording(): {name} has shape {array.shape}, expected {expected}."
                raise ArgumentError(message)
            # what is read from files was checked
            if not self.sources and not np.isfinite(array).all():
                raise ArgumentError(
                    f"Recording(): {name} contains NaN or infinity; Recording.from_arrays() "
                    "replaces single values."
                )
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.missing is not None and self.missing.shape != shape[:1]:
            raise ValueError(f"missing has shape {self.missing.shape}, expected {shape[:1]}")
        if self.temperature is not None and self.temperature.celsius.shape[1] != shape[1]:
            raise ValueError(f"temperature must have a column for each of {shape[1]} joints")
        if self.position_step is None:
            object.__setattr__(self, "position_step", position_steps(self.position))

    def _names(self) -> tuple[str, ...]:
        """Return the names of the joints, or numbered ones if none are given."""
        given: object = self.joint_names
        if not isinstance(given, list | tuple) or len(set(given)) < len(given):
            shown = repr(given)[:60]
            raise ArgumentError(
                f"Recording(): joint_names must be a list of different names, got {shown}."
            )
        return tuple(given) or unnamed_joints(self.position)

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, as a robot has them: ``joint_names``."""
        return self.joint_names

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.time)

    def __getitem__(self, span: slice) -> Recording:
        """Return a span in seconds, ``recording[2.0:8.0]``, as :meth:`cut` does."""
        try:
            limits = [None if end is None else float(end) for end in (span.start, span.stop)]
        except (AttributeError, TypeError, ValueError):  # no span, or none of numbers
            limits = []
        if not limits or span.step is not None:
            shown = repr(span)[:60]
            raise ArgumentError(f"recording[{shown}]: must be a span in seconds, recording[2:8].")
        return self.cut(*limits)

    @classmethod
    def from_arrays(
        cls,
        time: ArrayLike,
        position: ArrayLike,
        effort: ArrayLike,
        *,
        velocity: ArrayLike | None = None,
        joint_names: Sequence[str] = (),
    ) -> Recording:
        """Return a recording of arrays, repaired and sampled uniformly like one that is read.

        Args:
            time: (N,) [s], in steps of any size.
            position: (N, n) [rad or m]; (N,) of a single joint.
            effort: likewise, in the unit of the robot's ``drives.effort``.
            velocity: likewise [rad/s or m/s]; None if not measured.
            joint_names: n names as in the URDF; without them the columns are ``joint_1`` etc., and
                a robot with as many joints takes them in its order.

        Raises:
            ArgumentError: shapes do not match, or an array is not of numbers.
            RecordingError: the samples cannot be repaired.
        """
        make = on_use("dynid.recording.from_memory:recording_of_arrays")
        return cast(
            "Recording", make(time, position, effort, velocity=velocity, joint_names=joint_names)
        )

    @classmethod
    def from_frame(cls, frame: DataFrame) -> Recording:
        """Return a recording of a pandas DataFrame, such as :meth:`to_frame` returns.

        Args:
            frame: columns as ``dynid info`` understands those of a CSV file: ``time``, and
                ``shoulder.position`` and ``shoulder.effort``, or ``q1`` and ``tau1``, etc.

        Raises:
            ArgumentError: the columns are not understood.
            RecordingError: the samples cannot be repaired.
        """
        return cast("Recording", on_use("dynid.recording.from_memory:recording_of_frame")(frame))

    @classmethod
    def from_csv(cls, path: str | Path, *, columns: ColumnMap | None = None) -> Recording:
        """Return the recording in a CSV file; dynid.load_recording reads the other formats.

        Args:
            path: of the file.
            columns: None for those that ``dynid info`` proposes from the header.

        Raises:
            RecordingError: the file cannot be read or repaired, or the header is not understood.
        """
        read = on_use("dynid.recording.from_memory:recording_of_csv")
        return cast("Recording", read(path, columns))

    def save(self, path: str | Path) -> None:
        """Write the recording as ``.npz``, ``.csv``, or without an ending as a rosbag2 folder.

        Raises:
            ArgumentError: the path has another ending.
            RecordingError: the file or folder exists or cannot be written.
            WriteError: likewise.
        """
        on_use("dynid.recording.convert:save_recording")(self, path)

    def plot(self) -> NDArray[Any]:
        """Draw position, velocity and effort over time; return matplotlib's axes (k, n)."""
        return cast("NDArray[Any]", on_use("dynid.report.figures:recording_axes")(self))

    def to_frame(self) -> DataFrame:
        """Return samples as a pandas DataFrame: ``time``, then ``<joint>.position`` etc.

        Temperatures are interpolated to the times of the samples.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return data_frame(self.columns())

    def measured(self) -> dict[str, NDArray[np.float64]]:
        """Return position, velocity if it was measured, and effort (N, n) by name."""
        signals = {"position": self.position, "velocity": self.velocity, "effort": self.effort}
        return {name: values for name, values in signals.items() if values is not None}

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns (N,) of :meth:`to_frame` by name."""
        columns = {"time": self.time}
        celsius = None if self.temperature is None else self.temperature.at(self.time)
        for number, joint in enumerate(self.joint_names):
            for name, values in self.measured().items():
                columns[f"{joint}.{name}"] = values[:, number]
            if celsius is not None:
                columns[f"{joint}.temperature"] = celsius[:, number]
            if self.link_position is not None:
                columns[f"{joint}.link"] = self.link_position[:, number]
        return columns

    def __repr__(self) -> str:
        """Return files, joints, length, rate and repairs."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return html_lines(self._lines())

    def _lines(self) -> list[str]:
        names = source_names(self.sources) or "no file"
        return [
            f"Recording of {len(self.joint_names)} joints ({names}): {self.duration:.4g} s, "
            f"{len(self.time)} samples at {self.sampling_rate:.6g} Hz"
            + ("" if self.velocity is not None else ", without velocity")
            + ("" if self.temperature is None else ", with temperatures"),
            *self.repairs,
        ]

    def cut(self, start: float | None, stop: float | None) -> Recording:
        """Return the samples with ``start <= time < stop``, with time starting at 0.

        Without ``stop`` the last sample is included. Adjacent spans share no sample.

        Args:
            start: [s] since the start of this recording; None: its beginning.
            stop: [s] since the start of this recording; None: its end.

        Raises:
            PreprocessingError: the span is reversed, outside the recording, or nearly empty.
        """
        limits = span_limits(self.time * self.sampling_rate, self.sampling_rate, start, stop)
        return self.between(*limits)

    @property
    def pieces(self) -> tuple[Recording, ...]:
        """The parts between gaps, each with time starting at 0; the recording itself without any.

        Parts of fewer than ``FEWEST_SAMPLES`` samples are left out.
        """
        if not self.gaps:
            return (self,)
        edges = [0, *(edge for gap in self.gaps for edge in gap), len(self.time)]
        spans = zip(edges[::2], edges[1::2], strict=True)
        kept = [span for span in spans if span[1] - span[0] >= FEWEST_SAMPLES]
        return tuple(replace(self.between(*span), piece=at) for at, span in enumerate(kept))

    def between(self, first: int, past: int) -> Recording:
        """Return the samples from ``first`` to before ``past``, with time starting at 0."""
        span = slice(first, past)
        gaps = ((max(a, first), min(b, past)) for a, b in self.gaps)
        time, heat = self.time[span], self.temperature
        measured: dict[str, Any] = {name: values[span] for name, values in self.measured().items()}
        return replace(
            self,
            temperature=heat and heat.cut(float(time[0]), float(time[-1])),
            time=np.arange(len(time)) / self.sampling_rate,
            **measured,
            missing=None if self.missing is None else self.missing[span],
            link_position=None if self.link_position is None else self.link_position[span],
            gaps=tuple((a - first, b - first) for a, b in gaps if a < b),
        )


def unnamed_joints(position: ArrayLike) -> tuple[str, ...]:
    """Return the names of joints whose names are not known: ``joint_1``, ``joint_2``, …."""
    shape = np.shape(position)
    count = shape[1] if len(shape) == 2 else 1
    return tuple(f"joint_{number + 1}" for number in range(count))


def _from_zero(time: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Return times from 0 [s] and their rate [Hz], from times in equal steps.

    Raises:
        ArgumentError: the steps are not equal.
    """
    times = as_numbers("Recording(): time", time)
    steps = np.diff(times) if times.ndim == 1 else np.empty(0)
    step = float(np.mean(steps)) if len(steps) else math.nan
    if not (step > 0 and np.abs(steps - step).max() <= _UNEQUAL_STEPS * step):
        raise ArgumentError(
            "Recording(): time must be (N,) [s] in equal steps; Recording.from_arrays() takes "
            "others."
        )
    return np.arange(len(times), dtype=np.float64) * step, 1 / step


def frozen(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make an array read-only that nothing else will change, so that recordings share it.

    A copy of a long recording would take twice its memory.
    """
    values.setflags(write=False)
    return values


def _is_frozen(values: object) -> bool:
    return (
        isinstance(values, np.ndarray)
        and values.dtype == np.float64
        and values.flags.c_contiguous
        and not values.flags.writeable
        # the base of a view may still change
        and not isinstance(values.base, np.ndarray)
    )


def given_recordings(function: str, recordings: Recording | Sequence[Recording]) -> list[Recording]:
    """Return the recordings given to a public function as a list.

    Raises:
        ArgumentError: there is none, or an argument is not a recording.
    """
    several = list(recordings) if isinstance(recordings, list | tuple) else [recordings]
    if not several:
        raise ArgumentError(f"{function}: recordings is empty; give at least one.")
    for recording in several:
        hint = (
            "or its file; of a DataFrame Recording.from_frame(), of arrays Recording.from_arrays()"
        )
        check_type(f"{function}: recordings", recording, Recording, hint)
    return cast("list[Recording]", several)


def span_limits(
    ticks: NDArray[np.float64], rate: float, start: float | None, stop: float | None
) -> tuple[int, int]:
    """Find the indices (first, past the last) of the samples with ``start <= time < stop``.

    Args:
        ticks: (N,) increasing times in units of ``1 / rate``, the first of them 0.
        rate: [1/s].
        start: [s] or None.
        stop: [s] or None.

    Raises:
        PreprocessingError: the span is reversed, outside the recording, or nearly empty.
    """
    duration = float(ticks[-1]) / rate
    period = duration / max(len(ticks) - 1, 1)
    for name, value in (("start", start), ("stop", stop)):
        if value is not None and not (math.isfinite(value) and 0 <= value <= duration + period):
            raise PreprocessingError(
                f"The span's {name} of {value:g} s is outside the recording, "
                f"which lasts from 0 s to {duration:.3f} s."
            )
    if start is not None and stop is not None and start >= stop:
        raise PreprocessingError(
            f"The span's start of {start:g} s must be before its stop of {stop:g} s."
        )
    first = 0 if start is None else int(np.searchsorted(ticks, start * rate - _ON_THE_LIMIT))
    past = len(ticks)
    if stop is not None:
        past = int(np.searchsorted(ticks, stop * rate - _ON_THE_LIMIT))
    if past - first < FEWEST_SAMPLES:
        raise PreprocessingError(
            f"The span from {0.0 if start is None else start:g} s to "
            f"{duration if stop is None else stop:g} s contains {past - first} samples; "
            f"at least {FEWEST_SAMPLES} are needed."
        )
    return first, past


def digest(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    checksum = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum.update(block)
    return checksum.hexdigest()
