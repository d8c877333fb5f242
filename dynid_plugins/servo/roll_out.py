"""Roll-outs: simulated servos under recorded commands, from recorded states, a second at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import SimulationError
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.simulation.settings import SimulationSettings
from dynid_plugins.servo.servo_torque import law_of, with_servo_torque
from dynid_plugins.servo.simulated_servo import SimulatedServos

_RUN_IN = 0.25  # [s] in which the simulation comes to the recorded state
_BANDWIDTH = 20.0  # [Hz] of the loop that brings it there
_SMALLEST_INERTIA_SHARE = 1e-3  # inertia of that loop, as a share of the largest joint's


@dataclass(frozen=True, eq=False)
class RollOuts:
    """Errors of simulated encoder positions from many starts along a recording.

    Attributes:
        joint_names: n names.
        horizon: length of each roll-out [s].
        starts: (K,) times of the starts in the recording [s].
        errors: (K, H, n) simulated minus recorded positions at the samples after each start [rad
            or m].
        motion: (n,) root mean square of the change of position since the start, for comparison.
    """

    joint_names: tuple[str, ...]
    horizon: float
    starts: Array
    errors: Array
    motion: Array

    @property
    def rms(self) -> Array:
        """Root mean square error over all roll-outs, (n,) [rad or m]."""
        return np.asarray(np.sqrt(np.mean(self.errors**2, axis=(0, 1))))

    @property
    def rms_at_end(self) -> Array:
        """Root mean square error at the horizons' ends, (n,) [rad or m]."""
        return np.asarray(np.sqrt(np.mean(self.errors[:, -1] ** 2, axis=0)))


def roll_outs(model: Model, commanded: Recording, *, horizon: float = 1.0) -> RollOuts:
    """Simulate a model of a robot with servos along a recording, again and again.

    Each roll-out begins in a recorded state: a loop brings the simulation there along the filtered
    motion of a quarter of a second. Then only the servos act, with the recorded commands. Roll-outs
    follow one another without a gap. Encoders of both sides count in whole steps.

    Args:
        model: with the parameters, and the robot's ``servo``.
        commanded: recorded positions, with commands as effort.
        horizon: length of each roll-out [s].

    Raises:
        ConfigurationError: the profile does not describe the servos.
        SimulationError: the recording is too short, or the simulation diverges.
    """
    if not np.isfinite(horizon):
        raise SimulationError(f"A horizon of {horizon:g} s is no time; expected some seconds.")
    robot = _robot_of(model)
    signals = preprocess(with_servo_torque(commanded, robot), robot)
    rate = commanded.sampling_rate
    first = np.ceil((signals.time[0] + _RUN_IN) * rate)
    end = np.floor(signals.time[-1] * rate)
    samples = 0 if end - horizon * rate < first else round(horizon * rate)
    last = end - samples
    if samples < 1 or last < first:
        raise SimulationError(
            f"A recording whose motion lasts {signals.time[-1] - signals.time[0]:.3g} s is too "
            f"short for roll-outs of {horizon:g} s."
        )
    cycles = max(1, round(law_of(robot).loop_rate / rate))
    servos = SimulatedServos(robot, rate=rate * cycles)
    reference = _Reference(model, signals, rate * cycles)
    starts = np.arange(first, last + 1, samples).astype(int)
    errors, moved = [], []
    for start in starts.tolist():
        servos.reset(reference.at(start / rate - _RUN_IN)[0])
        reference.bring(servos, start / rate)
        simulated = _follow(servos, commanded, start, samples, cycles)
        recorded = commanded.position[start + 1 : start + samples + 1]
        errors.append(simulated - recorded)
        moved.append(recorded - commanded.position[start])
    return RollOuts(
        joint_names=robot.joints,
        horizon=horizon,
        starts=starts / rate,
        errors=np.array(errors),
        motion=np.sqrt(np.mean(np.square(moved), axis=(0, 1))),
    )


def _robot_of(model: Model) -> Robot:
    """Return the model's robot with its parameters as those of a simulated one."""
    values = dict(
        zip(model.mechanism.parameter_names, model.mechanism.parameters.tolist(), strict=True)
    )
    settings = model.robot.settings(SimulationSettings)
    update = {"parameters": values, "stribeck_torque": (0.0,), "backlash": (0.0,)}
    return model.robot.with_settings(settings.model_copy(update=update))


def _follow(
    servos: SimulatedServos, commanded: Recording, start: int, samples: int, cycles: int
) -> Array:
    """Return the encoder positions (samples, n) after ``start`` under the recorded commands."""
    delay = round(servos.law.delay * commanded.sampling_rate * cycles)
    states = []
    for cycle in range(start * cycles, (start + samples) * cycles):
        servos.step(commanded.effort[max(0, (cycle - delay) // cycles)])
        if (cycle + 1) % cycles == 0:
            states.append(servos.encoders())
    return np.array(states)


class _Reference:
    """The filtered motion of a recording, and how a simulation is brought onto it."""

    def __init__(self, model: Model, signals: Signals, rate: float) -> None:
        columns = signals.motion
        values = np.stack(columns, axis=1)  # (N, 3, n)
        self._motion = scipy.interpolate.CubicSpline(signals.time, values)
        self._mechanism = model.mechanism
        self._rate = rate
        self._omega = 2 * np.pi * _BANDWIDTH

    def at(self, time: float) -> Array:
        """Return position, velocity and acceleration, (3, n)."""
        return np.asarray(self._motion(time))

    def bring(self, servos: SimulatedServos, end: float) -> None:
        """Drive the simulation along the motion until ``end`` [s], by computed torque."""
        steps = round(_RUN_IN * self._rate)
        motion = self._motion(end - _RUN_IN + np.arange(steps) / self._rate)
        position, velocity, acceleration = np.moveaxis(motion, 1, 0)
        torque = self._mechanism.inverse_dynamics(position, velocity, acceleration)
        inertia = self._mechanism.mass_matrix(position)
        joint_inertia = np.diagonal(inertia, axis1=1, axis2=2)
        lacking = np.maximum(
            _SMALLEST_INERTIA_SHARE * joint_inertia.max(axis=1, keepdims=True) - joint_inertia, 0.0
        )
        inertia = inertia + lacking[:, :, None] * np.eye(joint_inertia.shape[1])
        for q, v, feedforward, mass in zip(position, velocity, torque, inertia, strict=True):
            truth = servos.truth
            error = self._omega**2 * (q - truth.position)
            error = error + 2 * self._omega * (v - truth.velocity)
            servos.drive(feedforward + mass @ error)
