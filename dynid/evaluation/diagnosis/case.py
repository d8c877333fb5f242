"""A case: recordings, their signals and the model, the input of all causes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.cross_validation import HeldOut
from dynid.estimation.fitting import Fit
from dynid.evaluation.verdict import TorqueComparison
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals

_DECIMATED_SAMPLES = 5_000  # decimated samples of all recordings

_Derived = TypeVar("_Derived")

_MOVING_SHARE = 0.1  # of the samples: less motion hardly excites friction


@dataclass(frozen=True, eq=False)
class Decimated:
    """Every k-th sample of all recordings, concatenated; all (N, n).

    Attributes:
        position, velocity, acceleration: filtered.
        torque: measured, at the joints, unfiltered [N m or N].
        moving: the joint's speed is between the thresholds.
        measured: filtered torque; equal to ``torque`` without a model.
        model: filtered torque of the model; None without a model.
    """

    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    moving: NDArray[np.bool_]
    measured: Array
    model: Array | None

    @property
    def motion(self) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration."""
        return self.position, self.velocity, self.acceleration

    @property
    def moves(self) -> NDArray[np.bool_]:
        """Which joints move often enough to be diagnosed, (n,)."""
        return np.asarray(self.moving.mean(axis=0) >= _MOVING_SHARE)


@dataclass(frozen=True, eq=False)
class Case:
    """Input of the causes.

    Attributes:
        robot: the robot and the settings used.
        mechanism: the robot's mechanism with the URDF's parameters.
        recordings: as loaded.
        signals: one per recording, preprocessed.
        model: the mechanism with fitted or given parameters; None if no fit was possible.
        comparisons: one per recording, of that model; () without a model.
        fit: the fit; None if a model was given or no fit was possible.
        held_out: errors of cross-validation; None without a fit.
        filters_given: whether a user set the cut-off; otherwise the data chose it.
        before_choice: the robot with plain terms, where the data chose those of ``robot``.
        identified_errors: held-out relative errors (n,) of a given model in its identification;
            infinite where friction was not determined; () if nothing was identified, or failed.
    """

    robot: Robot
    mechanism: Mechanism
    recordings: tuple[Recording, ...]
    signals: tuple[Signals, ...]
    model: Mechanism | None = None
    comparisons: tuple[TorqueComparison, ...] = ()
    fit: Fit | None = None
    held_out: HeldOut | None = None
    filters_given: bool = True
    before_choice: Robot | None = None
    identified_errors: tuple[float, ...] = ()
    _derived: dict[Hashable, object] = field(init=False, default_factory=dict, repr=False)

    def derived(self, key: Hashable, compute: Callable[[], _Derived]) -> _Derived:
        """Return what several causes compute from this case, computed at the first call."""
        if key not in self._derived:
            self._derived[key] = compute()
        return cast(_Derived, self._derived[key])

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the actuated joints."""
        return self.mechanism.joints

    @property
    def longest(self) -> Signals:
        """Signals of the longest recording, for causes that need consecutive samples."""
        return max(self.signals, key=lambda s: len(s.time))

    @property
    def longest_recording(self) -> Recording:
        """The longest recording as loaded, for causes that need unfiltered values."""
        return max(self.recordings, key=lambda r: len(r.time))

    @property
    def step(self) -> int:
        """Decimation of ``decimated``: every ``step``-th sample of each recording."""
        return max(1, sum(len(s.time) for s in self.signals) // _DECIMATED_SAMPLES)

    @cached_property
    def base(self) -> BaseParameterization:
        """Base parameters of the mechanism."""
        fitted = self.fit
        return base_parameterization(self.mechanism) if fitted is None else fitted.problem.base

    @cached_property
    def decimated(self) -> Decimated:
        """About 5 000 samples of all recordings."""

        def joined(arrays: list[Array]) -> Array:
            return np.concatenate([values[:: self.step] for values in arrays])

        torque = joined([s.raw_torque for s in self.signals])
        compared = self.comparisons
        return Decimated(
            position=joined([s.position for s in self.signals]),
            velocity=joined([s.velocity for s in self.signals]),
            acceleration=joined([s.acceleration for s in self.signals]),
            torque=torque,
            moving=np.concatenate([s.moving[:: self.step] for s in self.signals]),
            measured=joined([c.measured for c in compared]) if compared else torque,
            model=joined([c.model for c in compared]) if compared else None,
        )

    @property
    def time(self) -> Array:
        """Time [s] of the samples of ``decimated``, (N,), one recording after the other."""
        return self.elapsed(self.step)

    def elapsed(self, step: int) -> Array:
        """Return the time [s] of every ``step``-th sample, one recording after the other."""
        times, end = [], 0.0
        for signals in self.signals:
            times.append(end + signals.time[::step] - signals.time[0])
            end += float(signals.time[-1] - signals.time[0]) + 1 / signals.sampling_rate
        return np.concatenate(times)

    @cached_property
    def urdf_torque(self) -> Array:
        """Torque of the URDF's masses along the decimated motion, (N, n)."""
        return self.mechanism.torque(*self.decimated.motion, self.mechanism.urdf_parameters)

    @cached_property
    def relative_errors(self) -> Array:
        """Norm of the model's torque error over that of the torque, (n,); NaN without a model."""
        decimated = self.decimated
        if decimated.model is None:
            return np.full(len(self.joints), np.nan)
        error = np.linalg.norm(decimated.model - decimated.measured, axis=0)
        size = np.linalg.norm(decimated.measured, axis=0)
        return np.asarray(error / np.where(size > 0, size, np.inf))


def own_terms(decimated: Decimated, joint: int) -> Array:
    """Return columns (N, 4) for offset, viscous and Coulomb friction and rotor of one joint."""
    velocity, acceleration = decimated.velocity[:, joint], decimated.acceleration[:, joint]
    return np.column_stack([np.ones_like(velocity), velocity, np.sign(velocity), acceleration])
