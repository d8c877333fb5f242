"""Proposed frequencies of a sine excitation, within limits and without early repetition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import gcd
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import centre_of, described_excitation, room_about
from dynid.excitation.limit_use import first_broken
from dynid.excitation.limits import sample_peaks
from dynid.excitation.motion import Motion
from dynid.excitation.settings import FourierSettings, SineSettings, find_excitation
from dynid.excitation.sine import FEWEST_CYCLES
from dynid.excitation.workspace.proof import workspace_uses
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot

_CYCLES = 7  # of the slowest joint, or more, if no duration is given
_SHARE_OF_FASTEST_FREQUENCY = 0.75  # of its fastest frequency, which each joint reaches then
_ATTEMPTS = 20
_RAMP = 1.0  # [s] at either end
_SMALLEST_SPEED_FACTOR = 0.2  # common factor below which torque would contain little but gravity
_SIZES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)  # of the range, until the workspace is kept
_INSIDE = 0.999  # of the way to a position limit, so that the proof by samples succeeds
_PER_CYCLE = 50  # samples of torque; a peak is missed by 0.2 % at most
_ROUNDING = 1e-9


class _Room(NamedTuple):
    """Limits of the joints: (n,) each, infinite without one."""

    centre: Array
    distance: Array
    velocity: Array
    acceleration: Array
    torque: Array


def propose_sine(
    robot: Robot,
    mechanism: Mechanism,
    *,
    workspace: Workspace | None = None,
    duration: float | None = None,
    margin: float = 0.9,
) -> SineSettings:
    """Propose start, target and frequencies of a sine excitation.

    Joints swing as far as position limits, or the profile's centre and span, allow, and less if
    the robot would leave its workspace, all in the same proportion. From each joint's highest
    frequency f_j within its velocity and acceleration limits,

            2 pi f A <= velocity,  (2 pi f)^2 A <= acceleration,  A = |target - start| / 2,

    the proposal takes a common factor, 1 unless torque requires less, and rounds down to k_j whole
    cycles in ``duration``, so that every joint is at its start when the ramp begins. k_j is 3 or
    more and so are both numbers of every ratio k_i : k_j in lowest terms, so that no two joints
    repeat before either has made 3 cycles.

    Args:
        robot: with its limits and settings.
        mechanism: predicts torque from its current parameters.
        workspace: constraints on bodies and tool; None: no constraints.
        duration: of the whole motion, ramps included [s]; None: 7 cycles of the slowest joint, or
            more until every joint has a frequency near its highest.
        margin: fraction of the limits to use.

    Raises:
        ConfigurationError: a required limit is absent.
        ExcitationError: a joint cannot make 3 cycles in that time, or cannot rest within its torque
            limit, or no motion is within the workspace.
    """
    widest, sentence = _room(robot, margin), ""
    for size in _SIZES:
        room = widest._replace(distance=size * widest.distance)
        settings = _within(room, mechanism, duration, margin)
        if workspace is None:
            return settings
        excitation = described_excitation(settings, robot.limits, robot.joints)
        broken = first_broken(workspace_uses(excitation, workspace))
        if broken is None:
            return settings
        sentence = broken.sentence()
    raise ExcitationError(f"even {100 * _SIZES[-1]:.0f} % of the range is too large: {sentence}")


def _within(
    room: _Room, mechanism: Mechanism, duration: float | None, margin: float
) -> SineSettings:
    fastest = _fastest(room, mechanism.joints)
    for _ in range(_ATTEMPTS):
        length, frequencies = _choice(fastest, duration, 2 * _RAMP)
        settings = SineSettings(
            start=_rounded(room.centre - room.distance),
            target=_rounded(room.centre + room.distance),
            frequency=_rounded(frequencies),
            duration=length,
            ramp=_RAMP,
            margin=margin,
        )
        factor = _factor(settings, room, mechanism)
        if np.all(factor >= 1):
            return settings
        fastest = fastest * np.minimum(factor, 1.0) * (1 - 1e-3)
    raise ExcitationError(
        f"no frequencies were found within the limits with ramps of {_RAMP:g} s; make the ramps "
        "longer."
    )


def _rounded(values: Array) -> tuple[float, ...]:
    return tuple(np.round(values, 6).tolist())


def _room(robot: Robot, margin: float) -> _Room:
    joints, limits = robot.joints, robot.limits
    given = find_excitation(robot)
    about = given if isinstance(given, FourierSettings) else FourierSettings()
    about = about.model_copy(update={"margin": margin})
    centre = centre_of(about, limits, len(joints))
    distance, velocity, acceleration = room_about(centre, about, limits, joints)
    if isinstance(given, SineSettings):
        ends = [per_joint(getattr(given, name), len(joints), name) for name in ("start", "target")]
        centre, distance = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
    for j in np.flatnonzero(distance == 0).tolist():
        message = f"joint '{joints[j]}': start and target are equal; let it move, or lock it."
        raise ConfigurationError(message)
    for j in np.flatnonzero(np.isinf(distance)).tolist():
        raise ConfigurationError(
            f"joint '{joints[j]}': its range is not limited; add limits.position or "
            "excitation.span to the profile."
        )
    torque = margin * limits.of_joints(len(joints)).torque
    return _Room(centre, _INSIDE * distance, velocity, acceleration, torque)


def _fastest(room: _Room, joints: Sequence[str]) -> Array:
    """Return each joint's highest frequency within velocity and acceleration limits (n,) [Hz]."""
    amplitude = np.abs(room.distance)
    by_velocity, by_acceleration = room.velocity / amplitude, room.acceleration / amplitude
    rate: Array = np.minimum(by_velocity, np.sqrt(by_acceleration))
    for j in np.flatnonzero(np.isinf(rate)).tolist():
        raise ConfigurationError(
            f"joint '{joints[j]}': its speed is not limited; add limits.velocity or "
            "limits.acceleration to the profile."
        )
    return rate / (2 * np.pi)


def _choice(fastest: Array, duration: float | None, ramps: float) -> tuple[float, Array]:
    """Return how long joints swing at full amplitude [s], and their frequencies (n,) [Hz].

    Without a given duration, it is so long that every joint comes near its highest frequency.
    """
    if duration is not None:
        frequencies = _frequencies(fastest, max(duration - ramps, 0.0))
        if frequencies is None:
            enough = _choice(fastest, None, ramps)[0] + ramps
            raise ExcitationError(
                f"{duration:g} s are too short for every joint to make {FEWEST_CYCLES} cycles "
                f"within its limits without repeating another's early; use {enough:g} s, or a "
                "smaller span."
            )
        return duration - ramps, frequencies
    for cycles in count(_CYCLES):
        length = float(np.ceil(cycles / fastest.min()))
        frequencies = _frequencies(fastest, length)
        if frequencies is not None and np.all(frequencies >= _SHARE_OF_FASTEST_FREQUENCY * fastest):
            return length, frequencies
    raise AssertionError  # longer motions have ever finer frequencies


def _frequencies(fastest: Array, duration: float) -> Array | None:
    """Return the highest frequencies (n,) [Hz] without early repetition, or None."""
    most = np.floor(duration * fastest * (1 + _ROUNDING)).astype(int)
    chosen = np.zeros_like(most)
    for j in np.argsort(most, kind="stable").tolist():
        cycles = [int(k) for k in chosen if k]
        fitting = (
            k
            for k in range(int(most[j]), FEWEST_CYCLES - 1, -1)
            if all(min(k, other) >= FEWEST_CYCLES * gcd(k, other) for other in cycles)
        )
        chosen[j] = next(fitting, 0)
    return chosen / duration if np.all(chosen) else None


def _factor(settings: SineSettings, room: _Room, mechanism: Mechanism) -> Array:
    """Return the largest factor of each frequency that keeps the limits (n,)."""
    excitation = described_excitation(settings, Limits(), mechanism.joints)
    _, motion, slack = sample_peaks(excitation)
    velocity = np.abs(motion.velocity).max(axis=0) + slack[1]
    acceleration = np.abs(motion.acceleration).max(axis=0) + slack[2]
    factor: Array = np.minimum(room.velocity / velocity, np.sqrt(room.acceleration / acceleration))
    instants = _PER_CYCLE * excitation.duration * excitation.highest_frequency
    coarse = excitation.evaluate(np.linspace(0.0, excitation.duration, int(np.ceil(instants))))
    return np.minimum(factor, _torque_factor(coarse, room.torque, mechanism))


def _torque_factor(motion: Motion, allowed: Array, mechanism: Mechanism) -> float:
    """Return the largest factor of all frequencies that keeps the torque limits (n,); 1 at most.

    Positions stay, velocities are multiplied by the factor and
    accelerations by its square.
    """

    def used(factor: float) -> Array:
        q, dq, ddq = motion
        torque = mechanism.torque(q, factor * dq, factor**2 * ddq, mechanism.parameters)
        share: Array = np.abs(torque).max(axis=0) / allowed
        return share

    if used(1.0).max() <= 1:
        return 1.0
    slow = used(_SMALLEST_SPEED_FACTOR)
    if slow.max() > 1:
        j = int(np.argmax(slow))
        raise ExcitationError(
            f"joint '{mechanism.joints[j]}': at {100 * _SMALLEST_SPEED_FACTOR:.0f} % of its speed "
            f"it still needs {slow[j] * allowed[j]:.4g} of torque or force, "
            f"more than {allowed[j]:.4g}; "
            "give the joints a smaller span, so that gravity torque decreases."
        )
    low, high = _SMALLEST_SPEED_FACTOR, 1.0
    while high - low > 1e-2:
        middle = (low + high) / 2
        low, high = (middle, high) if used(middle).max() <= 1 else (low, middle)
    return low
