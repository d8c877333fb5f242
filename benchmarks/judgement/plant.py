"""The robot that is recorded: bodies, friction and rotors, and what its sensors make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.recording.model import Recording

from .motions import TrueMotion
from .tree import PinocchioTree

_FINEST_RATE = 250.0  # [Hz] at which torque of bodies is computed; between, it is a line


@dataclass(frozen=True)
class Coupling:
    """A share of the motor's friction and rotor of joint ``source`` that acts on ``target``."""

    source: int
    target: int
    share: float


@dataclass(frozen=True)
class Eccentricity:
    """A share of Coulomb friction that comes and goes once per turn, or per 0.3 m of a slide."""

    joint: int
    share: float
    place: float


@dataclass(frozen=True, eq=False)
class Friction:
    """What a drive adds to the torque of the bodies, (n,) each [N m or N, SI].

    Attributes:
        viscous, coulomb, rotor, offset: the plain terms.
        stribeck: static friction in excess of Coulomb friction; 0 without.
        stribeck_velocity: at which it has fallen to 1/e [rad/s or m/s].
        smoothing: velocity over which signs are smoothed [rad/s or m/s]; 0: they are not.
    """

    viscous: Array
    coulomb: Array
    rotor: Array
    offset: Array
    stribeck: Array
    stribeck_velocity: Array
    smoothing: Array

    def sign(self, velocity: Array) -> Array:
        """Return signs of velocity (N, n), smoothed where they are."""
        smooth = np.tanh(velocity / np.where(self.smoothing > 0, self.smoothing, 1.0))
        return np.where(self.smoothing > 0, smooth, np.sign(velocity))

    def torque(self, velocity: Array, acceleration: Array) -> Array:
        """Return friction and rotor torque without the offset, (N, n)."""
        excess = self.stribeck * np.exp(-((velocity / self.stribeck_velocity) ** 2))
        dry = (self.coulomb + excess) * self.sign(velocity)
        return np.asarray(dry + self.viscous * velocity + self.rotor * acceleration)


@dataclass(frozen=True, eq=False)
class Plant:
    """A tree of bodies with drives, couplings between these, and eccentric parts of them."""

    tree: PinocchioTree
    friction: Friction
    couplings: tuple[Coupling, ...] = ()
    eccentricities: tuple[Eccentricity, ...] = ()

    def torque(self, motion: TrueMotion) -> Array:
        """Return the torque of the drives along a motion, (N, n) [N m or N]."""
        drives = self.friction.torque(motion.velocity, motion.acceleration)
        crossed = np.zeros_like(drives)
        for coupling in self.couplings:
            crossed[:, coupling.target] += coupling.share * drives[:, coupling.source]
        for part in self.eccentricities:
            turn = 0.3 if self.tree.prismatic[part.joint] else 2 * np.pi
            wave = np.cos(2 * np.pi * (motion.position[:, part.joint] / turn - part.place))
            dry = self.friction.coulomb * self.friction.sign(motion.velocity)
            crossed[:, part.joint] += part.share * wave * dry[:, part.joint]
        return bodies_torque(self.tree, motion) + drives + crossed + self.friction.offset


def bodies_torque(tree: PinocchioTree, motion: TrueMotion) -> Array:
    """Return the torque of a tree's bodies along a motion, (N, n) [N m or N]."""
    step = max(1, round((len(motion.time) - 1) / motion.time[-1] / _FINEST_RATE))
    chosen = np.unique([*range(0, len(motion.time), step), len(motion.time) - 1])
    coarse = tree.torque(
        motion.position[chosen], motion.velocity[chosen], motion.acceleration[chosen]
    )
    columns = [np.interp(motion.time, motion.time[chosen], column) for column in coarse.T]
    return np.stack(columns, axis=1)


def draw_friction(
    tree: PinocchioTree, motion: TrueMotion, random: np.random.Generator, *, with_stribeck: bool
) -> Friction:
    """Return friction in proportion to the torque of the bodies along a motion."""
    bodies = np.sqrt(np.mean(bodies_torque(tree, motion) ** 2, axis=0))
    count = len(bodies)
    # a joint without weight has a drive all the same
    size = np.maximum(bodies, 0.1 * np.median(bodies))
    speed = np.sqrt(np.mean(motion.velocity**2, axis=0))
    moved = np.sqrt(np.mean(motion.acceleration**2, axis=0))
    fastest = np.abs(motion.velocity).max(axis=0)
    coulomb = size * random.uniform(0.08, 0.3, count)
    smooth = random.random() < 0.5
    return Friction(
        viscous=size * random.uniform(0.05, 0.2, count) / speed,
        coulomb=coulomb,
        rotor=size * random.uniform(0.05, 0.3, count) / moved,
        offset=size * random.uniform(-0.1, 0.1, count),
        stribeck=coulomb * random.uniform(0.2, 0.5, count) * with_stribeck,
        stribeck_velocity=fastest * 0.05,
        smoothing=0.01 * fastest * smooth,
    )


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """What sensors say: ``rate`` [Hz], and (N, n) in rad or m, per s, and N m or N."""

    rate: float
    position: Array
    velocity: Array | None
    torque: Array

    @property
    def time(self) -> Array:
        """Time stamps, (N,) [s]."""
        return np.arange(len(self.position)) / self.rate

    def as_recording(self, joints: tuple[str, ...]) -> Recording:
        """Return the same as dynid takes it."""
        return Recording(
            self.time,
            self.position,
            self.torque,
            velocity=self.velocity,
            joint_names=joints,
            sampling_rate=self.rate,
        )


@dataclass(frozen=True, eq=False)
class Sensors:
    """Errors of a robot's sensors.

    Attributes:
        noise: of torque, as a share of each joint's rms (n,).
        step: of the encoders (n,) [rad or m].
        with_velocity: whether velocity is recorded.
    """

    noise: Array
    step: Array
    with_velocity: bool

    def measured(self, motion: MeasuredMotion, random: np.random.Generator) -> MeasuredMotion:
        """Return a motion with noise and steps."""
        rms = np.sqrt(np.mean(motion.torque**2, axis=0))
        torque = motion.torque + self.noise * rms * random.normal(size=motion.torque.shape)
        velocity = motion.velocity
        if velocity is not None:
            wobble = 0.003 * np.sqrt(np.mean(velocity**2, axis=0))
            velocity = velocity + wobble * random.normal(size=velocity.shape)
        position = np.round(motion.position / self.step) * self.step
        return replace(motion, position=position, velocity=velocity, torque=torque)


def draw_sensors(
    sliding: tuple[bool, ...], random: np.random.Generator, *, with_velocity: bool
) -> Sensors:
    """Return sensors of usual quality."""
    bits = random.integers(14, 20)
    step = np.where(sliding, 1e-6 * random.uniform(1, 10), 2 * np.pi / 2.0**bits)
    noise = random.uniform(0.005, 0.03) * random.uniform(0.8, 1.2, len(sliding))
    return Sensors(noise, step, with_velocity)
