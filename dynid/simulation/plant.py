"""The simulated robot: bodies, friction and a position loop, integrated in time."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, SimulationError
from dynid.simulation.friction import DRY_KINDS, REFUSED_KINDS, DryFriction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.excitation import Array, Excitation, Motion
    from dynid.mechanism import Mechanism
    from dynid.simulation.settings import SimulationSettings

_LOST = 1.0  # tracking error [rad or m] beyond which the position loop has failed


@dataclass(frozen=True, eq=False)
class SimulatedMotion:
    """What the simulated robot truly did, without its sensors.

    Attributes:
        time: (N,) [s], uniform, from 0.
        reference: What it should have done, arrays (N, n).
        position, velocity, acceleration: (N, n) [rad or m and derivatives].
        torque: Motor torque at the joint side (N, n) [N*m or N].
    """

    time: Array
    reference: Motion
    position: Array
    velocity: Array
    acceleration: Array
    torque: Array


def true_parameters(mechanism: Mechanism, settings: SimulationSettings) -> Array:
    """Return the parameters (p,) of the simulated robot: the URDF's, but for those in settings.

    Stribeck friction in the settings has no parameter.

    Raises:
        ConfigurationError: A name in ``parameters`` is not one of the mechanism's.
    """
    names = mechanism.parameter_names
    values: Array = mechanism.urdf_parameters.copy()
    for name, value in settings.parameters.items():
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean '{near[0]}'" if near else "see the profile's terms"
            message = f"simulation: there is no parameter '{name}' in this model; {hint}."
            raise ConfigurationError(message)
        values[names.index(name)] = value
    return values


def integrate(
    mechanism: Mechanism,
    excitation: Excitation,
    settings: SimulationSettings,
    sampling_rate: float,
) -> SimulatedMotion:
    """Let the position-controlled robot follow an excitation.

    Leapfrog: velocities live half-way between the instants of positions and torques, which makes
    the scheme second-order. Dry friction is solved for at every step, see :class:`DryFriction`.

    Raises:
        SimulationError: The position loop lost the robot.
        ConfigurationError: Settings and mechanism do not fit.
    """
    robot = _Robot(mechanism, settings)
    steps = ceil(settings.integration_rate / sampling_rate * (1 - 1e-12))
    step = 1 / (sampling_rate * steps)
    samples = round((excitation.duration + 2 * settings.rest) * sampling_rate) + 1
    time: Array = np.arange((samples - 1) * steps + 1, dtype=np.float64) * step
    reference = excitation.evaluate(time - settings.rest)
    feedforward = robot.feedforward(reference)
    stiffness, damping = robot.gains(reference.position)
    record = np.empty((4, len(time), len(mechanism.joints)))
    position = reference.position[0].copy()
    velocity, acceleration = np.zeros_like(position), np.zeros_like(position)
    for k in range(len(time)):
        now = velocity + step / 2 * acceleration
        error = reference.position[k] - position
        torque = feedforward[k] + stiffness * error + damping * (reference.velocity[k] - now)
        after = robot.velocity_after(position, now, velocity, torque, step)
        acceleration = (after - velocity) / step
        record[:, k] = position, (velocity + after) / 2, acceleration, torque
        velocity = after
        position = position + step * after
        if not np.abs(error).max() < _LOST:
            _give_up(error, time[k], mechanism.joints)
    kept = slice(None, None, steps)
    return SimulatedMotion(
        time[kept], type(reference)(*(part[kept] for part in reference)), *record[:, kept]
    )


class _Robot:
    """Forward dynamics with true parameters, dry friction apart from the rest."""

    def __init__(self, mechanism: Mechanism, settings: SimulationSettings) -> None:
        joints = len(mechanism.joints)
        self._settings = settings
        self._nominal = mechanism.with_parameters(mechanism.urdf_parameters)
        true = true_parameters(mechanism, settings)
        self._friction = DryFriction(
            mechanism.with_parameters(true),
            per_joint(settings.stribeck_torque, joints, "stribeck_torque"),
            per_joint(settings.stribeck_velocity, joints, "stribeck_velocity"),
        )
        smooth = true.copy()
        first = len(true) - len(mechanism.terms)
        for i, term in enumerate(mechanism.terms):
            if term.kind in DRY_KINDS:
                smooth[first + i] = 0.0
            elif term.kind in REFUSED_KINDS and true[first + i] != 0:
                message = (
                    f"simulation: {mechanism.parameter_names[first + i]} ({term.kind}) cannot be "
                    "simulated; leave it 0 and give Coulomb, Stribeck or viscous friction instead."
                )
                raise ConfigurationError(message)
        self._smooth = mechanism.with_parameters(smooth)
        self._no_acceleration = np.zeros(joints)

    def feedforward(self, reference: Motion) -> Array:
        """Return the torques that the drives add along the reference (N, n)."""
        if self._settings.feedforward == "none":
            return np.zeros_like(reference.position)
        if self._settings.feedforward == "gravity":
            return self._nominal.gravity_torque(reference.position)
        return self._nominal.inverse_dynamics(*reference)

    def gains(self, positions: Array) -> tuple[Array, Array]:
        """Return the position loop's stiffness and damping (n,), from each joint's mean inertia."""
        joints = positions.shape[1]
        matrices = self._smooth.mass_matrix(positions[:: max(len(positions) // 200, 1)])
        inertia = np.diagonal(matrices, axis1=1, axis2=2).mean(axis=0)
        rate = 2 * np.pi * per_joint(self._settings.bandwidth_hz, joints, "bandwidth_hz")
        ratio = per_joint(self._settings.damping_ratio, joints, "damping_ratio")
        return inertia * rate**2, 2 * ratio * inertia * rate

    def velocity_after(
        self, position: Array, now: Array, velocity: Array, torque: Array, step: float
    ) -> Array:
        """Return the velocity (n,) half a step after an instant, from that half a step before it.

        ``now`` is the velocity at the instant, on which all that is not dry friction depends.
        """
        rest = self._smooth.inverse_dynamics(position, now, self._no_acceleration)
        mobility = step * np.linalg.inv(self._smooth.mass_matrix(position))
        after = velocity + mobility @ (torque - rest)
        if len(self._friction):
            directions = self._friction.directions
            slowed = mobility @ directions
            friction = self._friction.solve(directions.T @ after, directions.T @ slowed)
            after = after - slowed @ friction
        return after


def _give_up(error: Array, time: float, joints: Sequence[str]) -> None:
    worst = int(np.argmax(np.nan_to_num(np.abs(error), nan=np.inf)))
    message = (
        f"joint '{joints[worst]}': the simulated position loop lost the motion at {time:.3f} s; "
        "check simulation.parameters, lower bandwidth_hz or raise integration_rate."
    )
    raise SimulationError(message)
