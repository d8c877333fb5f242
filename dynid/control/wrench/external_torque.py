"""External torque of a recording, by the momentum observer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import control_model
from dynid.control.residual import commanded_signals
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty, low_speed
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError, PreprocessingError
from dynid.recording.model import Recording, source_names
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import check_joints

_FRICTION_SHARE = 0.05  # of the largest uncertainty by friction at rest: less is motion
SETTLING = 5.0
"""Time constants after which the observer has forgotten its start."""


@dataclass(frozen=True, eq=False)
class ObservedTorque:
    """External torque along a motion, on the side on which the drives are commanded.

    Attributes:
        time: since the recording's start (N,) [s].
        position: behind the observer's low-pass, so of the time of the torque (N, n) [rad or m].
        velocity: (N, n) [rad/s or m/s].
        torque: (N, n) [N m or N].
        friction: standard deviation of friction near standstill (N, n) [N m or N].
        gain: of the observer [1/s].
        rate: samples per second [Hz].
    """

    time: Array
    position: Array
    velocity: Array
    torque: Array
    friction: Array
    gain: float
    rate: float

    @property
    def seconds(self) -> float:
        """Duration [s]."""
        return len(self.time) / self.rate

    @property
    def moving(self) -> NDArray[np.bool_]:
        """Whether static friction does not matter (N, n)."""
        largest = np.maximum(self.friction.max(axis=0), np.finfo(float).tiny)
        return np.asarray(self.friction <= _FRICTION_SHARE * largest)

    def covariance(self, uncertainty: ExternalTorqueUncertainty) -> Array:
        """Return the covariance of the torque (N, n, n)."""
        deviation = np.sqrt(uncertainty.constant**2 + (uncertainty.per_speed * self.velocity) ** 2)
        covariance: Array = uncertainty.correlation * (
            deviation[:, :, np.newaxis] * deviation[:, np.newaxis, :]
        )
        joint = np.arange(self.torque.shape[1])
        covariance[:, joint, joint] += self.friction**2
        return covariance

    def distance(self, uncertainty: ExternalTorqueUncertainty) -> Array:
        """Return the squared Mahalanobis distance of the torque from 0 (N,)."""
        solved = np.linalg.solve(self.covariance(uncertainty), self.torque[:, :, np.newaxis])
        return np.asarray(np.einsum("ni,ni->n", self.torque, solved[:, :, 0]))

    def between(self, start: float, stop: float) -> ObservedTorque:
        """Return the span from ``start`` to ``stop`` [s]."""
        return self.part(*np.searchsorted(self.time, [start, stop]).tolist())

    def part(self, first: int, end: int | None) -> ObservedTorque:
        """Return the samples from ``first`` to before ``end``; None: to the last one."""
        names = ("time", "position", "velocity", "torque", "friction")
        return replace(self, **{name: getattr(self, name)[first:end] for name in names})


def observe(
    model: Model,
    recording: Recording,
    *,
    gain: float,
    carried: RigidBody | None = None,
    zero_phase: bool = False,
) -> ObservedTorque:
    """Run the momentum observer on a recording, one cycle for each sample.

    It gets what a control cycle has: measured position, velocity and torque without any filter.
    Where the recording has no velocities, position and velocity are those of the profile's
    zero-phase filters. The first time constants, in which the observer forgets its start, are left
    out.

    Args:
        model: of the robot without payload.
        recording: of the robot.
        gain: of the observer [1/s].
        carried: payload of the robot in it.
        zero_phase: use these filters in any case; no control cycle can.

    Raises:
        PreprocessingError: the profile's filters do not match the recording, it is too short, or
            its external torque is not finite.
        ConfigurationError: the settings do not match the robot, or the gain the sampling rate.
    """
    robot = model.robot
    time, position, velocity, torque = _measured(robot, recording, zero_phase)
    core = control_model(robot, model.mechanism)
    if carried is not None:
        core.set_payload(carried.mass, carried.centre, carried.inertia)
    unit = _unit_uncertainty(robot)
    observer = torque_observer(unit, gain, recording.sampling_rate)
    external, covariance, passed = observer.run(core, position, velocity, torque)
    settling = float(np.ceil(SETTLING / gain * recording.sampling_rate))
    if len(external) <= 2 * settling:
        named = source_names(recording.sources) or "the recording"
        raise PreprocessingError(
            f"{named} has {len(external)} samples, but the observer needs more than "
            f"{2 * settling:g} at {gain:g}/s; record longer, or raise the observer's gain."
        )
    lost = ~np.isfinite(external).all(axis=1)
    if lost.any():
        first = float(time[np.argmax(lost)])
        raise PreprocessingError(
            f"at {first:.3g} s the external torque is not finite; exclude damaged samples, or "
            "positions that the robot cannot reach, with --start and --stop."
        )
    joint = np.arange(len(robot.joints))
    friction = np.sqrt(np.maximum(covariance[:, joint, joint] - 1.0, 0.0))
    whole = ObservedTorque(
        time, passed, velocity, external, friction, gain, recording.sampling_rate
    )
    return whole.part(int(settling), None)


def _measured(
    robot: Robot, recording: Recording, zero_phase: bool
) -> tuple[Array, Array, Array, Array]:
    """Return time (N,), and position, velocity and torque (N, n) on the commanded side."""
    if zero_phase or recording.velocity is None:
        signals, (position, velocity, _), torque = commanded_signals(
            robot, recording, unsettled=False
        )
        return signals.time, position, velocity, torque
    check_joints(recording, robot)
    torque = recording.effort * robot.drives.torque_factor(len(robot.joints))
    return recording.time, recording.position, recording.velocity, torque


def torque_observer(
    uncertainty: _core.TorqueUncertainty, gain: float, rate: float
) -> _core.ExternalTorqueObserver:
    """Return the core's observer.

    Args:
        uncertainty: of its torque.
        gain: [1/s].
        rate: cycles per second [Hz].

    Raises:
        ConfigurationError: a value is invalid.
    """
    try:
        return _core.ExternalTorqueObserver(len(uncertainty.constant), uncertainty, gain, rate)
    except ValueError as error:
        raise ConfigurationError(f"external wrench: {error}") from None


def _unit_uncertainty(robot: Robot) -> _core.TorqueUncertainty:
    """Return an uncertainty of 1 at each joint, to which that of friction is added."""
    joints = len(robot.joints)
    unit = _core.TorqueUncertainty()
    unit.constant, unit.per_speed = np.ones(joints), np.zeros(joints)
    unit.correlation, unit.low_speed = np.eye(joints), low_speed(robot)
    return unit
