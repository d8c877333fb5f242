"""The motion of a robot whose profile has no ``excitation``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ExcitationError
from dynid.excitation.build import described_excitation
from dynid.excitation.checks import examine_motion
from dynid.excitation.motion import Motion
from dynid.excitation.settings import ExcitationSettings, FourierSettings, find_excitation
from dynid.excitation.workspace.proof import RESERVE
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.robot import Robot

_TURN_SPEED, _SLIDE_SPEED = np.pi, 1.0
"""Speeds that are enough for an identification [rad/s, m/s]; faster limits are not used."""
_TURN_DEFAULT, _SLIDE_DEFAULT = np.pi / 2, 0.25
"""Speeds without a limit: a quarter turn per second [rad/s], ISO 10218's reduced speed [m/s]."""
_MARGIN = 0.9  # of the limits on position and velocity
_TORQUE = 0.7  # of torque_max; the rest is for friction and rotors, which are unknown before
_HARMONICS = 5
_BASE = (0.1, 0.2)  # [Hz] base frequencies: up to a highest one of 1 Hz, which drives follow well
_SIZES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1)  # of the range, until a motion is possible
_CENTRES = 6  # of most clearance, and of least load, besides the middle of the range and 0
_POSITIONS = 2000  # random ones, of which these are chosen
_CLEARANCES = 400  # of these, whose clearance is computed, which takes longer
_SEEDS = 3  # tried with each centre and size
_MOTIONS = 2  # of them must be possible: one to identify, one to validate
_KEYS = {"tool_box": "tool_box", "tool speed": "tool_speed", "plane '": "planes", "box '": "boxes"}
"""Keys of the workspace by the start of the names of their constraints."""
_INSTANTS = 150  # of a first test, which comes before the proof
_COARSE = 10  # every tenth of them before


class MotionRange(NamedTuple):
    """Positions and speeds of sensible motion, (n,) each [rad or m, rad/s or m/s]."""

    low: Array
    high: Array
    speed: Array


def motion_range(robot: Robot, mechanism: Mechanism) -> MotionRange:
    """Return the positions and speeds in which a robot can be excited.

    Within its limits, and within half a turn and half a turn per second, or 1 m/s. Where there are
    no limits, a joint turns by half a turn to both sides at 90 deg/s, or slides by half of the
    robot's reach to both sides at 0.25 m/s.
    """
    joints, slides = len(robot.joints), np.array(mechanism.prismatic)
    free = np.where(slides, robot.kinematics().reach / 2, np.pi)
    limits = robot.limits.of_joints(joints)
    low = np.where(np.isfinite(limits.low), limits.low, -free)
    high = np.where(np.isfinite(limits.high), limits.high, free)
    middle, half = (low + high) / 2, (high - low) / 2
    half = np.where(slides, half, np.minimum(half, np.pi))
    most = np.where(slides, _SLIDE_SPEED, _TURN_SPEED)
    default = np.where(slides, _SLIDE_DEFAULT, _TURN_DEFAULT)
    limited = np.isfinite(limits.velocity)
    speed = np.where(limited, np.minimum(limits.velocity, most), default)
    return MotionRange(middle - half, middle + half, speed)


def default_excitation(robot: Robot) -> FourierSettings:
    """Return an excitation for a robot whose profile has none.

    A random Fourier series about the middle of the joints' range, about position 0, about a random
    position with much clearance, or one in which gravity loads the joints least: the first with
    which the robot keeps its limits and does not collide, first of the full range that limits on
    position and velocity allow, then of ever smaller shares of it.

    The span of joint j at a speed v_j follows from the root mean square of the series' frequencies,
    A_j = v_j / (2 pi f_rms), and is 90 % of its range at most. The base frequency is the highest
    with which the slowest joint uses this range, from 0.1 to 0.2 Hz.

    The result depends on the robot only; in a process, the search for equal robots runs once.

    Raises:
        ExcitationError: no such motion was found; the sentence names what prevents it.
        MechanismError: robot and URDF do not match.
    """
    content = json.dumps(robot.yaml_content(), sort_keys=True)
    return _searched(_Described(content, robot.urdf_xml, robot))


def excitation_of(robot: Robot) -> ExcitationSettings:
    """Return the excitation in a robot's profile, else :func:`default_excitation`."""
    return find_excitation(robot) or default_excitation(robot)


@dataclass(frozen=True)
class _Described:
    """A robot as the key of a cache: a Robot is not hashable."""

    content: str
    urdf_xml: str
    robot: Robot = field(compare=False)


@lru_cache(maxsize=8)
def _searched(described: _Described) -> FourierSettings:
    robot = described.robot
    mechanism = robot.mechanism()
    search = _Search(robot, mechanism)
    reason = ""
    motion = motion_range(robot, mechanism)
    for settings in _candidates(motion, search.centres(motion)):
        excitation, reason = search.first(settings)
        if excitation is not None:
            return excitation
    raise ExcitationError(
        f"profile '{robot.name}' has no 'excitation', and no motion was found that keeps its "
        f"limits, because even in the smallest one tried {reason} Or add an 'excitation' to the "
        "profile."
    )


def _candidates(motion: MotionRange, centres: Array) -> Iterator[FourierSettings]:
    """Yield excitations to try, from the largest to the smallest."""
    low, high, speed = motion
    room = _MARGIN * (high - low) / 2
    root_mean_square = np.sqrt(np.mean(np.arange(1, _HARMONICS + 1) ** 2))
    base = float(np.clip(np.min(speed / room) / (2 * np.pi * root_mean_square), *_BASE))
    series = FourierSettings(base_frequency=round(base, 3), harmonics=_HARMONICS, margin=_MARGIN)
    widest = np.minimum(room, speed / (2 * np.pi * root_mean_square * series.base_frequency))
    for size in _SIZES:
        # the whole motion, and a margin, are within the range
        room = np.maximum((high - low) / 2 * _MARGIN - size * widest, 0.0)
        middle = (low + high) / 2
        for centre in np.clip(centres, middle - room, middle + room):
            about = [np.round(values, 6).tolist() for values in (centre, size * widest)]
            yield series.model_copy(update={"centre": tuple(about[0]), "span": tuple(about[1])})


class _Search:
    """What a motion is tested against."""

    def __init__(self, robot: Robot, mechanism: Mechanism) -> None:
        self._robot, self._mechanism = robot, mechanism
        self._workspace = Workspace(robot, mechanism)

    def centres(self, motion: MotionRange) -> Array:
        """Return positions to move about (C, n): middle, 0, and random ones.

        Of these, the ones of most clearance and, of those that are clear, the ones of least load:
        the largest share that gravity has of a joint's ``torque_max``.
        """
        low, high, _ = motion
        room = _MARGIN * (1 - _SIZES[-1]) * (high - low) / 2  # for the smallest motion
        random = np.random.default_rng(0).uniform(-room, room, (_POSITIONS, len(low)))
        random += (low + high) / 2
        clear = self._clear(random[self._mechanism.reachable(random)])
        chosen = [(low + high) / 2, np.zeros(len(low)), *clear[:_CENTRES]]
        if self._robot.limits.torque_max is not None and len(clear):
            largest = self._robot.limits.of_joints(len(low)).torque
            gravity = self._mechanism.torque(
                clear, 0 * clear, 0 * clear, self._mechanism.parameters
            )
            load = np.max(np.abs(gravity) / largest, axis=1)
            chosen += list(clear[np.argsort(load, kind="stable")[:_CENTRES]])
        return np.array(chosen)

    def _clear(self, position: Array) -> Array:
        """Return the positions without collision, of most clearance first; all, if all collide."""
        if not self._workspace.names:
            return position
        position = position[:_CLEARANCES]
        margins = self._workspace.margins(Motion(position, 0 * position, 0 * position))
        clearance = np.min(margins / self._workspace.scale, axis=1)
        position = position[np.argsort(-clearance, kind="stable")]
        clear = int(np.sum(clearance > RESERVE))
        return position[:clear] if clear else position

    def first(self, settings: FourierSettings) -> tuple[FourierSettings | None, str]:
        """Return the excitation with its first possible seed, or None and what prevents it."""
        possible, reason = [], ""
        for seed in range(_SEEDS):
            motion = settings.model_copy(update={"seed": seed})
            broken = self._broken(motion)
            if broken is None:
                possible.append(motion)
            reason = reason or broken or ""
            if len(possible) == _MOTIONS:
                return possible[0], ""
            if _SEEDS - seed - 1 + len(possible) < _MOTIONS:
                break
        return None, reason

    def _broken(self, settings: FourierSettings) -> str | None:
        """Return a clause on what a motion violates, or None."""
        robot, workspace = self._robot, self._workspace
        try:
            excitation = described_excitation(settings, robot.limits, robot.joints)
        except ExcitationError as error:
            return str(error)
        motion = excitation.evaluate(np.linspace(0.0, excitation.duration, _INSTANTS))
        for step in (_INSTANTS, _COARSE, 1):  # most motions are ruled out by few instants
            broken = self._broken_at(Motion(*(part[::step] for part in motion)))
            if broken is not None:
                return broken
        return examine_motion(excitation, robot.limits, self._mechanism, workspace).violation

    def _broken_at(self, motion: Motion) -> str | None:
        """Return a clause on what samples of a motion violate, or None."""
        robot, mechanism, workspace = self._robot, self._mechanism, self._workspace
        if not mechanism.reachable(motion.position).all():
            return "the loops of the closed chain cannot be closed; narrow limits.position."
        largest = robot.limits.of_joints(len(robot.joints)).torque
        needed = np.abs(mechanism.torque(*motion, mechanism.parameters)).max(axis=0)
        j = int(np.argmax(needed / largest))
        if needed[j] > _TORQUE * largest[j]:
            return (
                f"joint '{robot.joints[j]}' needs {needed[j]:.3g} for its bodies alone, of a "
                f"largest torque or force of {largest[j]:.3g}; correct limits.torque_max, or the "
                "masses in the URDF."
            )
        margins = workspace.margins(motion) / workspace.scale
        if not margins.size or margins.min() > RESERVE:
            return None
        name = workspace.names[int(np.argmin(margins.min(axis=0)))]
        return _workspace_reason(name)


def _workspace_reason(constraint: str) -> str:
    """Return a clause on a violated constraint of the workspace, with the key to correct."""
    other = constraint.partition(" to ")[2]
    for start, key in _KEYS.items():
        if constraint.startswith(start) or other.startswith(start):
            return f"{constraint} is violated; correct workspace.{key}, or limits.position."
    return (
        f"{constraint} touch; if only their shapes in the URDF are too coarse, list them in "
        "workspace.allowed_pairs."
    )
