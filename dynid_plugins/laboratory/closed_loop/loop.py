"""Simulation of the robot with estimated parameters in a control loop, along a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.errors import EstimationError, MechanismError
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.least_squares import WeightedLeastSquares
from dynid.estimation.physical import consistent_parameters
from dynid.estimation.regression import Problem, Rows
from dynid.estimation.settings import PhysicalSettings
from dynid.signals.filters import differentiate
from dynid_plugins.laboratory.closed_loop.reference import Reference, measured_reference

_CONTROL_RATE = 1000.0  # [Hz] at least
# integration steps in a cycle, tried in turn; light bodies with much friction need more
_REFINEMENTS = (1, 4)
# bandwidth [Hz] and damping ratio of the loop with the model's torque added, and with the measured
# torque added. The latter only prevents drift: in a stiff loop the position would depend less on
# the parameters, and more on the delay of one cycle
_LOOPS = {"model": (10.0, 1.0), "measured": (1.0, 0.3)}


@dataclass(frozen=True)
class CommandedLoop:
    """The control loop in which a robot was recorded, and its commands.

    Position and velocity loops of drives in cyclic synchronous position mode without additive
    torque, see cpp/core/include/dynid/drive_plant.hpp.

    Attributes:
        references: for each recording, commanded positions (N, n) [rad or m] at its times (N,) [s].
        delay: from a command to its effect in the recording [s].
        bandwidth_hz, damping_ratio: of the loops (n,).
        integral_time: of the velocity loop [s] (n,); infinity: no integrator.
        lower, upper: positions (n,) [rad or m]; the gains follow the mean inertia between them.
    """

    references: tuple[Callable[[Array], Array], ...]
    delay: float
    bandwidth_hz: Array
    damping_ratio: Array
    integral_time: Array
    lower: Array
    upper: Array


@dataclass(frozen=True)
class LoopEstimator(Estimator):
    """An estimator that simulates the loop in which the robot was recorded.

    Attributes:
        commanded: this loop; None: unknown.
    """

    commanded: CommandedLoop | None = None


class SimulatedMotion(NamedTuple):
    """Simulated motion of the joints and torque of the drives at a recording's samples (N, n)."""

    position: Array
    velocity: Array
    acceleration: Array
    torque: Array


class SimulatedLoop:
    """Simulation of a problem's recordings without noise, quantisation or delays.

    The loop's gains are proportional to the simulated inertia, so that its bandwidth does not
    depend on the parameters (Gautier, Janot, Vandanjon 2013). If the commands are unknown, the
    reference is the measured position, and a torque is added so that the loop can follow it:

    ``model``: the model's torque along the reference. The torque then depends on the parameters,
    the motion hardly.
    ``measured``: the recorded torque. With u the recorded torque, y the position, K the controller
    and s for simulated, u_s = u + K (y - y_s). If K is the true controller, this equals
    K (r - y_s), the true loop with its unknown reference r.

    Args:
        problem: the problem whose recordings are simulated.
        commanded: the true loop and its commands; None: unknown.
        added: the torque added if they are unknown.

    Raises:
        EstimationError: the number of references is not that of the recordings.
    """

    def __init__(
        self,
        problem: Problem,
        commanded: CommandedLoop | None,
        added: Literal["model", "measured"] = "model",
    ) -> None:
        if commanded is not None and len(commanded.references) != len(problem.rows):
            raise EstimationError(
                f"there are {len(commanded.references)} references for {len(problem.rows)} "
                "recordings; give one reference for each recording."
            )
        self._problem, self._commanded, self._added = problem, commanded, added
        self._refinements: dict[int, int] = {}
        self._references = [self._reference(*numbered) for numbered in enumerate(problem.rows)]
        self._fitted = [
            one.fitted * _moving(one, reference)
            for one, reference in zip(problem.rows, self._references, strict=True)
        ]

    @property
    def fitted(self) -> list[Array]:
        """Rows that count, (m, n) for each recording: fitted rows in which the reference moves.

        Rows at rest count only if all rows are fitted: static friction cannot be simulated, and
        filtered noise at rest may resemble motion.
        """
        return self._fitted

    def first_estimate(self, start: Array) -> Estimate:
        """Return the estimate at the last parameters, or solve weighted least squares.

        The latter is along the references, without a tracking error.

        Raises:
            EstimationError: there is no motion.
        """
        if isinstance(self._problem.state, Estimate):
            return self._problem.state
        motions = []
        for one, reference in zip(self._problem.rows, self._references, strict=True):
            motion = _derivatives(reference.position, one.signals.sampling_rate * reference.step)
            motions.append([values[reference.run_in :: reference.step] for values in motion])
        return WeightedLeastSquares().fit(self._along(motions), start)

    def problem(self, standard: Array) -> Problem:
        """Return the problem with the simulated motion in place of the measured one."""
        return self._along([motion[:3] for motion in self.run(standard)])

    def _along(self, motions: Iterable[Sequence[Array]]) -> Problem:
        """Return the problem along other positions, velocities and accelerations (N, n)."""
        rows = tuple(
            replace(
                one,
                fitted=fitted,
                signals=replace(
                    one.signals, position=position, velocity=velocity, acceleration=acceleration
                ),
            )
            for one, fitted, (position, velocity, acceleration) in zip(
                self._problem.rows, self._fitted, motions, strict=True
            )
        )
        return Problem(self._problem.mechanism, self._problem.base, rows, self._problem.folds)

    def run(self, standard: Array, *, refines: bool = False) -> list[SimulatedMotion]:
        """Simulate every recording with physically consistent parameters (p,).

        Args:
            standard: (p,) the parameters.
            refines: later runs take at least as many integration steps as this one needed. With
                the same number, the difference of two runs is that of their parameters.

        Raises:
            EstimationError: these parameters, or the mechanism, cannot be simulated.
        """
        return [
            self._run(number, rows, standard, refines=refines)
            for number, rows in enumerate(self._problem.rows)
        ]

    def _run(self, number: int, rows: Rows, standard: Array, *, refines: bool) -> SimulatedMotion:
        reference, least = self._references[number], self._refinements.get(number, 1)
        rate = rows.signals.sampling_rate * reference.step
        targets = reference.position
        added = self._added_torque(rows, reference, rate, standard)
        offsets = None if added is None else (added[1:] + added[:-1]) / 2
        for refinement in (one for one in _REFINEMENTS if one >= least):
            settings = self._settings(rate, targets)
            settings.integration_rate = refinement * rate
            try:
                plant = _core.DrivePlant(
                    self._problem.mechanism.core_description, standard, settings
                )
            except ValueError as error:
                raise EstimationError(
                    f"the closed loop cannot be simulated: {error} Use another estimator, such as "
                    "wls."
                ) from None
            plant.reset(targets[0])
            run = plant.run_truth(targets[1:], offsets)
            if plant.fault.reason == _core.FaultReason.none:
                if refines:
                    self._refinements[number] = refinement
                return _at_samples(run, reference)
        raise EstimationError(
            "the simulation of the estimated robot in its closed loop diverges; use another "
            "estimator, such as wls."
        )

    def _reference(self, number: int, rows: Rows) -> Reference:
        signals, step = rows.signals, _steps(rows)
        if self._commanded is None:
            return measured_reference(signals, step)
        rate = step * signals.sampling_rate
        run_in = max(1, round(signals.time[0] * rate))
        cycles = np.arange(-run_in, (len(signals.time) - 1) * step + 1)
        time = signals.time[0] + cycles / rate - self._commanded.delay
        return Reference(self._commanded.references[number](time), run_in, step, unreliable=0)

    def _settings(self, rate: float, targets: Array) -> _core.DrivePlantSettings:
        n = targets.shape[1]
        none, endless = np.zeros(n), np.full(n, np.inf)
        hertz, damping = _LOOPS[self._added]
        known = self._commanded or CommandedLoop(
            references=(),
            delay=0.0,
            bandwidth_hz=np.full(n, hertz),
            damping_ratio=np.full(n, damping),
            integral_time=endless,
            lower=targets.min(axis=0),
            upper=targets.max(axis=0),
        )
        settings = _core.DrivePlantSettings()
        settings.control_rate = rate
        settings.command_delay = settings.feedback_delay = 0
        for name in ("bandwidth_hz", "damping_ratio", "integral_time", "lower", "upper"):
            setattr(settings, name, getattr(known, name))
        for name in ("torque_max", "stop_deceleration", "following_error"):
            setattr(settings, name, endless)
        for name in ("position_resolution", "rated_torque", "torque_noise", "stribeck_torque"):
            setattr(settings, name, none)
        settings.stribeck_velocity = np.ones(n)
        return settings

    def _added_torque(
        self, rows: Rows, reference: Reference, rate: float, standard: Array
    ) -> Array | None:
        """Torque (M, n) added to the loops; None if the commands are known."""
        if self._commanded is not None:
            return None
        motion = _derivatives(reference.position, rate)
        try:
            model = self._problem.mechanism.torque(*motion, standard)
        except MechanismError as error:
            raise EstimationError(f"the closed loop cannot be simulated: {error}") from None
        if self._added == "measured":
            raw = rows.signals.raw_torque
            fine = np.arange((len(raw) - 1) * reference.step + 1) / reference.step
            model[reference.run_in :] = np.stack(
                [np.interp(fine, np.arange(len(raw)), column) for column in raw.T], axis=1
            )
        return model


def simulable(problem: Problem, estimate: Estimate) -> Array:
    """Find the standard parameters (p,) nearest to an estimate that can be simulated.

    Raises:
        EstimationError: there are none.
    """
    mechanism = problem.mechanism
    found = consistent_parameters(mechanism, problem.base, estimate, PhysicalSettings()).parameters
    standard = np.array(found)
    for number, term in enumerate(mechanism.terms, start=mechanism.first_term):
        if term.traits.dry:  # a negative one adds energy if simulated alone
            standard[number] = max(standard[number], 0.0)
    return standard


def _derivatives(position: Array, rate: float) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration (M, n)."""
    velocity = differentiate(position, rate)
    return position, velocity, differentiate(velocity, rate)


def _steps(rows: Rows) -> int:
    """Control cycles per sample."""
    return ceil(_CONTROL_RATE / rows.signals.sampling_rate * (1 - 1e-9))


def _moving(rows: Rows, reference: Reference) -> Array:
    """Rows (m, n) in which the reference is reliable and above the velocity threshold, as 1.0."""
    signals = rows.signals
    position = reference.position[reference.run_in :: reference.step]
    speed = np.abs(differentiate(position, signals.sampling_rate))
    counted = (speed > signals.velocity_threshold) | rows.fitted.all(axis=0)
    counted[: reference.unreliable] = counted[len(counted) - reference.unreliable :] = False
    return rows.parallel_filter.decimate(counted.astype(np.float64))


def _at_samples(run: Array, reference: Reference) -> SimulatedMotion:
    """Convert control cycles (4, M - 1, n) to values at the recording's samples."""
    position, velocity, acceleration, torque = run
    samples = slice(reference.run_in - 1, None, reference.step)

    def centred(means: Array) -> Array:
        # the mean of a cycle belongs to its middle, the position to its end
        return np.asarray((means + np.concatenate([means[1:], means[-1:]])) / 2)

    return SimulatedMotion(
        position[samples],
        velocity[samples],
        centred(acceleration)[samples],
        centred(torque)[samples],
    )
