"""A case: recordings, what was made of them, and the model, as every cause looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import Fit, HeldOut
from dynid.evaluation.verdict import Comparison
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals

_ENOUGH = 5_000  # samples that all causes together look at where recordings hold more

_MOVING_SHARE = 0.1  # of the samples: in fewer a joint shows its friction now and then at best


@dataclass(frozen=True, eq=False)
class Thinned:
    """Every so manieth sample of all recordings, one after the other; all (N, n).

    Attributes:
        position, velocity, acceleration: filtered.
        torque: as measured, at the joints and unfiltered.
        moving: the joint's speed lies between the thresholds.
        measured: torque through the model's filter; equal to ``torque`` where there is no model.
        model: torque of the model through the same filter, None where there is no model.
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
        """Which joints are in motion often enough to be told about, (n,)."""
        return np.asarray(self.moving.mean(axis=0) >= _MOVING_SHARE)


@dataclass(frozen=True, eq=False)
class Case:
    """Everything that a cause is told from.

    Attributes:
        robot: the robot and the settings used.
        mechanism: the profile's, with the URDF's parameters.
        recordings: as loaded.
        signals: one per recording, preprocessed.
        model: the mechanism with fitted or given parameters; None where no fit was possible.
        comparisons: one per recording, of that model; () if there is none.
        fit: None where a model was given or no fit was possible.
        held_out: None likewise.
    """

    robot: Robot
    mechanism: Mechanism
    recordings: tuple[Recording, ...]
    signals: tuple[Signals, ...]
    model: Mechanism | None = None
    comparisons: tuple[Comparison, ...] = ()
    fit: Fit | None = None
    held_out: HeldOut | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the actuated joints."""
        return self.mechanism.joints

    @property
    def longest(self) -> Signals:
        """Signals of the longest recording, for what needs samples that follow each other."""
        return max(self.signals, key=lambda s: len(s.time))

    @property
    def step(self) -> int:
        """Which of the samples ``thinned`` holds: every ``step``-th of each recording."""
        return max(1, sum(len(s.time) for s in self.signals) // _ENOUGH)

    @cached_property
    def base(self) -> BaseParameterization:
        """Base parameters of the mechanism."""
        fitted = self.fit
        return base_parameterization(self.mechanism) if fitted is None else fitted.problem.base

    @cached_property
    def thinned(self) -> Thinned:
        """About 5 000 samples of all recordings."""

        def joined(arrays: list[Array]) -> Array:
            return np.concatenate([values[:: self.step] for values in arrays])

        torque = joined([s.raw_torque for s in self.signals])
        compared = self.comparisons
        return Thinned(
            position=joined([s.position for s in self.signals]),
            velocity=joined([s.velocity for s in self.signals]),
            acceleration=joined([s.acceleration for s in self.signals]),
            torque=torque,
            moving=np.concatenate([s.moving[:: self.step] for s in self.signals]),
            measured=joined([c.measured for c in compared]) if compared else torque,
            model=joined([c.model for c in compared]) if compared else None,
        )

    @cached_property
    def urdf_torque(self) -> Array:
        """What the URDF's masses alone would need along the thinned motion, (N, n)."""
        return self.mechanism.torque(*self.thinned.motion, self.mechanism.urdf_parameters)

    @cached_property
    def relative_errors(self) -> Array:
        """Norm of the model's torque error over norm of the measured torque, (n,); NaN: none."""
        thinned = self.thinned
        if thinned.model is None:
            return np.full(len(self.joints), np.nan)
        error = np.linalg.norm(thinned.model - thinned.measured, axis=0)
        size = np.linalg.norm(thinned.measured, axis=0)
        return np.asarray(error / np.where(size > 0, size, np.inf))


def own_terms(thinned: Thinned, joint: int) -> Array:
    """What offset, friction and rotor of one joint may depend on, (N, 4)."""
    velocity, acceleration = thinned.velocity[:, joint], thinned.acceleration[:, joint]
    return np.column_stack([np.ones_like(velocity), velocity, np.sign(velocity), acceleration])


def without(values: Array, columns: Array) -> Array:
    """What is left of ``values`` (N,) or (N, c) without multiples of ``columns`` (N, k)."""
    return np.asarray(values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0])


def friction_power(torque: Array, thinned: Thinned, joint: int, others: Array) -> float:
    """Power that friction takes from the motion, over torque and speed (rms); negative: it drives.

    Args:
        torque: (N,) of the joint.
        thinned: the motion.
        joint: its number.
        others: (N, k) what else may explain the torque.
    """
    own = own_terms(thinned, joint)
    columns = np.column_stack([own, others])
    found = np.linalg.lstsq(columns / _sizes(columns), torque, rcond=1e-6)[0] / _sizes(columns)
    friction = own[:, 1:3] @ found[1:3]
    size = float(np.linalg.norm(torque) * np.linalg.norm(own[:, 1]))
    return float(friction @ own[:, 1]) / size if size > 0 else 0.0


def _sizes(columns: Array) -> Array:
    sizes = np.linalg.norm(columns, axis=0)
    return np.where(sizes > 0, sizes, 1.0)
