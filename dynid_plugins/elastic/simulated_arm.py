"""Simulated arms with elastic joints: two masses at each gear, as ground truth, and recordings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import SimulationError
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.elastic.two_encoders import two_encoders

_FEWEST_SUBSTEPS = 2  # of a control cycle
_MOST_SUBSTEPS = 100
_LARGEST_STEP = 1.0  # of integration, times the fastest rate of the gears
_SMOOTHING = 0.01  # [rad/s or m/s] of Coulomb friction
_LARGEST_POSITION = 1e3  # [rad or m]
_STIFF = 0.3  # bandwidth of the drives, over the frequency of the locked joint
_DAMPED = 0.7


@dataclass(frozen=True, eq=False)
class ElasticArm:
    """Motors that move links through elastic gears; S robots at once, in rows.

    τ = K e + H e³ + D dδ/dt where the teeth touch, with e the deflection δ = q_motor - q_link
    beyond half the backlash; M(q) d²q + h(q, dq) = τ at the links, and J d²q = u - friction - τ at
    the motors. All at the joints' side.

    Attributes:
        links: bodies and springs, without friction and rotors.
        rotors: inertias J (n,) [kg*m^2 or kg].
        stiffness: K (n,) [N*m/rad or N/m].
        damping: D (n,).
        backlash: total (n,) [rad or m].
        hardening: H (n,).
        viscous: friction of the motors (n,).
        coulomb: friction of the motors (n,).
    """

    links: Mechanism
    rotors: Array
    stiffness: Array
    damping: Array
    backlash: Array
    hardening: Array
    viscous: Array
    coulomb: Array

    def joint_torque(self, deflection: Array, rate: Array) -> Array:
        """Return the torque (S, n) of gears with a deflection and its rate (S, n)."""
        half = 0.5 * self.backlash
        bent = deflection - np.clip(deflection, -half, half)
        elastic = self.stiffness * bent + self.hardening * bent**3
        return np.asarray(elastic + np.where(bent != 0, self.damping * rate, 0.0))

    def friction(self, velocity: Array) -> Array:
        """Return the friction (S, n) of the motors."""
        return np.asarray(self.viscous * velocity + self.coulomb * np.tanh(velocity / _SMOOTHING))

    def at_rest(self, position: Array) -> ArmState:
        """Return the state in which the motors hold the links at positions (S, n)."""
        torque = self.links.gravity_torque(position)
        bent = torque / self.stiffness
        for _ in range(20):  # of a cubic equation, nearly linear
            slope = self.stiffness + 3 * self.hardening * bent**2
            bent = bent - (self.stiffness * bent + self.hardening * bent**3 - torque) / slope
        motor = position + bent + 0.5 * self.backlash * np.sign(torque)
        rest = np.zeros_like(position)
        return ArmState(motor, position, rest, rest)

    def rates(self, state: ArmState, torque: Array) -> ArmState:
        """Return the derivatives of the state under motor torques (S, n)."""
        transmitted = self.joint_torque(
            state.motor - state.link, state.motor_velocity - state.link_velocity
        )
        turned = torque - self.friction(state.motor_velocity) - transmitted
        moved = self.links.forward_dynamics(state.link, state.link_velocity, transmitted)
        return ArmState(state.motor_velocity, state.link_velocity, turned / self.rotors, moved)

    def substeps(self, position: Array, duration: float) -> int:
        """Return how many steps of integration a control cycle takes near positions (S, n).

        Raises:
            SimulationError: there are too many.
        """
        masses = np.diagonal(self.links.mass_matrix(position), axis1=1, axis2=2)
        mobility = 1 / self.rotors + 1 / masses
        fastest = np.maximum(np.sqrt(self.stiffness * mobility), self.damping * mobility)
        needed = max(_FEWEST_SUBSTEPS, int(np.ceil(duration * fastest.max() / _LARGEST_STEP)))
        if needed > _MOST_SUBSTEPS:
            joint = self.links.joints[int(fastest.max(axis=0).argmax())]
            raise SimulationError(
                f"joint '{joint}' is too stiff for its inertia to be simulated as elastic "
                f"({fastest.max():.3g} rad/s); lower elastic.stiffness or elastic.damping."
            )
        return needed

    def step(self, state: ArmState, torque: Array, duration: float, substeps: int) -> ArmState:
        """Return the state after a control cycle of constant torques (Runge and Kutta).

        Raises:
            SimulationError: the state has no limits.
        """
        size = duration / substeps
        for _ in range(substeps):
            first = self.rates(state, torque)
            second = self.rates(state.moved(first, size / 2), torque)
            third = self.rates(state.moved(second, size / 2), torque)
            fourth = self.rates(state.moved(third, size), torque)
            state = ArmState(
                *(
                    now + size / 6 * (a + 2 * b + 2 * c + d)
                    for now, a, b, c, d in zip(state, first, second, third, fourth, strict=True)
                )
            )
        if not np.all(np.abs(state.motor) < _LARGEST_POSITION):
            raise SimulationError(
                "the simulated arm with elastic joints is unstable; lower the gains of its drives."
            )
        return state


class ArmState(NamedTuple):
    """Positions and velocities of motors and links; each (S, n)."""

    motor: Array
    link: Array
    motor_velocity: Array
    link_velocity: Array

    def moved(self, rates: ArmState, duration: float) -> ArmState:
        """Return the state after a duration at constant rates."""
        return ArmState(*(now + duration * rate for now, rate in zip(self, rates, strict=True)))


class ArmRun(NamedTuple):
    """A simulated motion; time along axis 0, robots along axis 1.

    Attributes:
        time: (N,) [s].
        motor: positions (N, S, n) [rad or m].
        link: positions (N, S, n).
        torque: of the motors (N, S, n) [N*m or N].
    """

    time: Array
    motor: Array
    link: Array
    torque: Array


def simulate_arm(
    arm: ElasticArm,
    start: ArmState,
    control: Callable[[int, ArmState], Array],
    cycles: int,
    cycle: float,
) -> ArmRun:
    """Simulate an arm under a controller.

    Args:
        arm: the robots.
        start: state at the first cycle.
        control: returns torques (S, n) for a cycle's number and state.
        cycles: their number.
        cycle: duration of each [s].
    """
    substeps = arm.substeps(start.link, cycle)
    motor, link, torques = [], [], []
    state = start
    for number in range(cycles):
        torque = control(number, state)
        motor.append(state.motor)
        link.append(state.link)
        torques.append(torque)
        state = arm.step(state, torque, cycle, substeps)
    time = np.asarray(np.arange(cycles) * cycle, dtype=np.float64)
    return ArmRun(time, np.array(motor), np.array(link), np.array(torques))


@dataclass(frozen=True)
class Encoders:
    """Errors of a recording.

    Attributes:
        noise: white, of each encoder [rad or m].
        torque_noise: white [N*m or N].
        delay: of the links' encoders [s].
        offset: of the motors' encoders minus that of the links' [rad or m].
        ripple: amplitude of a wave of the motors' encoders [rad or m].
        order: of that wave, periods for each turn of the joint.
    """

    noise: float = 0.0
    torque_noise: float = 0.0
    delay: float = 0.0
    offset: float = 0.0
    ripple: float = 0.0
    order: float = 0.0


def follow(arm: ElasticArm, position: Array, cycle: float) -> ArmRun:
    """Simulate drives with position loops at the motors that follow a motion.

    Args:
        arm: with S robots in rows of the motion.
        position: commanded (N, S, n) [rad or m].
        cycle: of the control [s].
    """
    velocity = np.gradient(position, cycle, axis=0)
    acceleration = np.gradient(velocity, cycle, axis=0)
    rate = _STIFF * np.sqrt(arm.stiffness / arm.rotors)
    start = arm.at_rest(position[0])

    def control(number: int, state: ArmState) -> Array:
        wanted = acceleration[number] + rate * (
            2 * _DAMPED * (velocity[number] - state.motor_velocity)
            + rate * (position[number] - state.motor)
        )
        links = arm.links.inverse_dynamics(state.link, state.link_velocity, wanted)
        return np.asarray(links + arm.rotors * wanted + arm.friction(state.motor_velocity))

    return simulate_arm(arm, start, control, len(position), cycle)


def recorded(
    run: ArmRun, robot: Robot, encoders: Encoders, *, every: int = 1, seed: int = 0
) -> list[Recording]:
    """Return the recording of each robot of a run.

    Args:
        run: of S robots.
        robot: their profile.
        encoders: errors of what is recorded.
        every: cycles between samples.
        seed: of the noise; each robot has its own.
    """
    kept = slice(None, None, every)
    found = []
    for number in range(run.motor.shape[1]):
        random = np.random.default_rng([seed, number])
        motor, link, torque = (one[:, number] for one in (run.motor, run.link, run.torque))
        late = np.stack(
            [np.interp(run.time - encoders.delay, run.time, column) for column in link.T], axis=1
        )
        waves = encoders.ripple * np.cos(encoders.order * motor)
        measured = motor + encoders.offset + waves
        arrays = [measured[kept], late[kept], torque[kept]]
        sizes = (encoders.noise, encoders.noise, encoders.torque_noise)
        position, other, effort = (
            one + size * random.standard_normal(one.shape)
            for one, size in zip(arrays, sizes, strict=True)
        )
        recording = Recording.from_arrays(
            run.time[kept], position, effort, joint_names=robot.joints
        )
        found.append(two_encoders(recording, other, robot))
    return found
