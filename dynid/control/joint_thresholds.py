"""Collision thresholds of joints from free motion, and the forces at the tool that they detect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.control.free_motion import FreeMotion, joined, recording_numbers
from dynid.control.residual import CommandedResidual
from dynid.control.tail import SAFE, TAIL_QUANTILE, Level, rare_level
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot

_LARGEST_FIT = 3000  # blocks of motion
_FEWEST_MOVING = 50  # of them
_FEWEST_WITH_TAIL = round(1 / (1 - TAIL_QUANTILE))  # blocks, of which one is in the tail
_SHAPE_QUANTILE = 0.95  # of the errors, which determines the threshold's shape
_MARGIN = 0.05  # over the largest recorded error
_RESOLUTION = 1e-3  # of a threshold, relative to the largest error
# [rad/s, rad/s^2, m/s or m/s^2]: no larger speed or acceleration is no motion
_LARGEST_SPEED_AT_REST = 1e-4
_DRIFT = 0.1  # of friction: its change between days and temperatures
_DIGITS = 3
TUNED = ("torque_error_max", "velocity_factor", "acceleration_factor", "reversal_boost")
"""The keys of a profile's ``collision`` that are a joint's threshold."""


@dataclass(frozen=True)
class TunedJoint:
    """A joint's threshold, and the errors that it is based on.

    Attributes:
        joint: its name.
        torque_error_max: [N m or N].
        velocity_factor: [N m s/rad or N s/m].
        acceleration_factor: [N m s^2/rad or N s^2/m].
        reversal_boost: [N m or N].
        largest: filtered torque error in the recordings [N m or N].
        friction: largest dry friction of the model at rest in them [N m or N].
        moving: level of ``torque_error_max`` [N m or N].
        resting: level of ``reversal_boost`` [N m or N]; None where it never acts.
        raised: factors in motion and at rest by which the thresholds are higher than the levels,
            because a recording exceeded those from the others.
    """

    joint: str
    torque_error_max: float
    velocity_factor: float
    acceleration_factor: float
    reversal_boost: float
    largest: float
    friction: float
    moving: Level
    resting: Level | None
    raised: tuple[float, float] = (1.0, 1.0)

    def share(self, motion: FreeMotion, number: int) -> tuple[float, float]:
        """Return the largest ratio of an error to its threshold, moving and at rest.

        Args:
            motion: free motion.
            number: of the joint in it, from 0.
        """
        shares, resting = self.shares(motion, number), motion.boosted[:, number]
        return _largest(shares[~resting]), _largest(shares[resting])

    def shares(self, motion: FreeMotion, number: int) -> Array:
        """Return the ratios of errors to the threshold (M,); arguments as of :meth:`share`."""
        size, resting = motion.size[:, number], motion.boosted[:, number]
        coefficients = [self.torque_error_max, self.velocity_factor, self.acceleration_factor]
        threshold = motion.features[:, number] @ np.array(coefficients)
        at_rest = np.maximum(threshold + self.reversal_boost, motion.friction[:, number])
        ratios: Array = size / np.where(resting, at_rest, threshold)
        return ratios

    def level(self, *, resting: bool) -> float:
        """Return the threshold at rest, or in motion at low speed [N m or N]."""
        return self.torque_error_max + (self.reversal_boost if resting else 0.0)

    def higher(self, moving: float, resting: float) -> TunedJoint:
        """Return the threshold raised by factors of 1 or more, in motion and at rest."""
        least = resting * (self.torque_error_max + self.reversal_boost)
        in_motion = moving * self.torque_error_max
        return replace(
            self,
            torque_error_max=in_motion,
            velocity_factor=moving * self.velocity_factor,
            acceleration_factor=moving * self.acceleration_factor,
            reversal_boost=max(self.reversal_boost, least - in_motion),
            raised=(moving, resting),
        )


def tune_joint(
    motions: Sequence[FreeMotion], number: int, name: str, alarms_per_hour: float
) -> TunedJoint:
    """Find a joint's threshold for a wanted rate of false alarms.

    No recording lowers the levels from the others: they are the highest of those from all
    recordings and from all but one. Near standstill, where friction is unknown, the boost is at
    least the dry friction of the model. In motion, errors are computed with a tenth more friction,
    because it changes with temperature and from day to day, unlike in recordings of one day.

    Args:
        motions: one for each recording.
        number: of the joint, from 0.
        name: of the joint.
        alarms_per_hour: of this joint [1/h].

    Raises:
        ConfigurationError: there are no torque errors.
    """
    motion = joined(motions)
    size, features = motion.size[:, number], motion.features[:, number]
    largest = float(size.max())
    if largest == 0.0:
        message = f"joint '{name}' has no torque error: its recorded effort equals the model's."
        raise ConfigurationError(message)
    resting = motion.boosted[:, number]
    if np.count_nonzero(~resting) < _FEWEST_MOVING:
        resting = np.zeros_like(resting)
    rests = bool(resting.any())
    alarms_per_hour /= 2 if rests else 1  # one half each
    friction = motion.friction[:, number] + motion.viscous[:, number]
    moving = size + _DRIFT * friction
    shape = _shape(moving[~resting], features[~resting])
    shape[0] += _RESOLUTION * largest
    ratio = moving / (features @ shape)
    at_speed = _level(motions, ratio, ~resting, alarms_per_hour, _MARGIN, sizes=ratio)
    constant, velocity, acceleration = (float(part) for part in at_speed.value * shape)
    tuned = TunedJoint(
        joint=name,
        torque_error_max=constant,
        velocity_factor=velocity,
        acceleration_factor=acceleration,
        reversal_boost=0.0,
        largest=largest,
        friction=float(motion.friction[:, number].max()),
        moving=at_speed.scaled(float(shape[0])),
        resting=None,
    )
    if not rests:
        return tuned
    above = size - at_speed.value * (features @ shape)
    at_rest = _level(
        motions,
        above,
        resting,
        alarms_per_hour,
        _MARGIN * largest,
        sizes=size,
        constant=constant,
        relative=False,
    )
    return replace(tuned, reversal_boost=max(at_rest.value, tuned.friction), resting=at_rest)


def _level(
    motions: Sequence[FreeMotion],
    values: Array,
    counted: NDArray[np.bool_],
    alarms_per_hour: float,
    margin: float,
    *,
    sizes: Array,
    constant: float = 0.0,
    relative: bool = True,
) -> Level:
    """Return the lower one of two levels that hold the rate, each under an assumption of its own.

    If the recordings are alike, it is the level of all of them, or of all but one where an easy
    recording would lower it. If each recording has its own, because friction and motion differ,
    nine of ten other recordings need no more than a level that follows from those of each.

    Args:
        motions: one for each recording.
        values: of their blocks, one recording after the other (M,).
        counted: which of the blocks count (M,).
        alarms_per_hour: rate at which a level may be exceeded [1/h].
        margin: of a level over the largest value.
        sizes: the thresholds that the values would need (M,).
        constant: what is added to a level to make it a threshold.
        relative: whether the margin is a share of that value.
    """
    time = joined(motions).time
    recording = recording_numbers(motions)

    def level(used: NDArray[np.bool_], numbers: Sequence[int]) -> Level:
        wanted = alarms_per_hour * sum(motions[k].hours for k in numbers)
        return rare_level(values[used], time[used], wanted, least=least(values[used]))

    def least(recorded: Array) -> float:
        highest = float(recorded.max())
        return highest * (1 + margin) if relative else max(0.0, highest + margin)

    numbers = range(len(motions))
    levels, part_levels = [level(counted, numbers)], []
    for k in numbers if len(motions) > 1 else ():
        others, alone = counted & (recording != k), counted & (recording == k)
        if np.count_nonzero(others) >= _FEWEST_MOVING:
            levels.append(level(others, [j for j in numbers if j != k]))
        if np.count_nonzero(alone) >= _FEWEST_WITH_TAIL:
            size, wanted = sizes[alone], alarms_per_hour * motions[k].hours
            part_level = rare_level(
                size, time[alone], wanted, least=float(size.max()), quantile=0.5
            )
            part_levels.append(part_level.value)
    pooled = max(levels, key=lambda candidate: candidate.value)
    separate = max(least(values[counted]), _of_another(np.array(part_levels)) - constant)
    return pooled if pooled.value <= separate else pooled._replace(value=separate)


def _of_another(levels: Array) -> float:
    """Return the level that suffices for nine of ten other recordings, from those of some.

    It does so with a confidence of nine in ten: the upper tolerance bound of a normal distribution
    of their logarithms (Natrella 1963). Without two of them nothing is known.
    """
    count = len(levels)
    if count < 2 or levels.min() <= 0.0:
        return np.inf
    logarithms = np.log(levels)
    root = np.sqrt(count)
    factor = scipy.stats.nct.ppf(SAFE, count - 1, scipy.stats.norm.ppf(SAFE) * root) / root
    return float(np.exp(logarithms.mean() + factor * logarithms.std(ddof=1)))


def _shape(size: Array, features: Array) -> Array:
    """Fit coefficients (3,) >= 0 of the features (M, 3) by linear programming.

    min sum q u + (1 - q) w with features @ x + u - w = size; u, w, x >= 0. A feature that is 0 but
    for noise, as in a recording at rest, has the coefficient 0.
    """
    step = -(-len(size) // _LARGEST_FIT)
    size, features = size[::step], features[::step]
    count, parts = features.shape
    largest = features.max(axis=0)
    moves = largest > _LARGEST_SPEED_AT_REST
    scale = np.where(moves, largest, 1.0)
    features = features * moves
    identity = scipy.sparse.eye_array(count, format="csr")
    above, below = np.full(count, _SHAPE_QUANTILE), np.full(count, 1 - _SHAPE_QUANTILE)
    solution = scipy.optimize.linprog(
        np.concatenate([np.zeros(parts), above, below]),
        A_eq=scipy.sparse.hstack(
            [scipy.sparse.csr_array(features / scale), identity, -identity], format="csr"
        ),
        b_eq=size,
        method="highs",
    )
    if not solution.success:
        raise ConfigurationError(f"the threshold's shape cannot be fitted: {solution.message}")
    shape: Array = np.maximum(solution.x[:parts], 0.0) / scale * moves
    return shape


def _largest(values: Array) -> float:
    return float(values.max(initial=0.0))


def rounded_up(value: float) -> float:
    """Return a setting rounded up to few digits."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (floor(log10(value)) - _DIGITS + 1)
    return float(f"{ceil(value / step - 1e-9) * step:.{_DIGITS}g}")


_POSES = 200  # of all recordings
_STEP = 1e-4  # [rad or m]
_NO_LEVER = 1e-6  # [m, or 1 of a prismatic joint], from rounding
_DIRECTIONS = 500  # of a force


@dataclass(frozen=True)
class DetectableForce:
    """The smallest forces at the tool that reach a threshold: means over poses.

    Attributes:
        of_joint: in the direction that each joint is most sensitive to, (n,) [N]; inf for a joint
            that no force at the tool turns.
        easiest: in the direction that is detected first, by any joint [N].
        hardest: in the direction that is detected last [N]; inf where some is not detected.
    """

    of_joint: tuple[float, ...]
    easiest: float
    hardest: float


def detectable_force(
    robot: Robot, residuals: Sequence[CommandedResidual], thresholds: Array
) -> DetectableForce | None:
    """Return the smallest static forces at the tool whose joint torques J^T f reach thresholds.

    Args:
        robot: with its URDF; the tool is its last link.
        residuals: along whose poses the mean is computed.
        thresholds: of the joints (n,) [N m or N].

    Returns:
        None where positions are not known.
    """
    known = [residual.position for residual in residuals if residual.position is not None]
    if not known:
        return None
    positions = np.concatenate(known)
    levers = _levers(robot, positions[:: -(-len(positions) // _POSES)])
    levers = np.where(np.abs(levers) < _NO_LEVER, 0.0, levers)
    shares = levers / thresholds[:, np.newaxis]  # of a threshold, by 1 N in x, y and z (K, n, 3)
    of_joint = np.linalg.norm(shares, axis=2)
    by_direction = np.abs(shares @ _directions().T).max(axis=1)
    with np.errstate(divide="ignore"):
        return DetectableForce(
            tuple(np.mean(1 / of_joint, axis=0).tolist()),
            float(np.mean(1 / of_joint.max(axis=1))),
            float(np.mean(1 / by_direction.min(axis=1))),
        )


def _levers(robot: Robot, positions: Array) -> Array:
    """Return the Jacobians of the tool's position on the commanded side, transposed (K, n, 3)."""
    kinematics = robot.kinematics()
    steps = _STEP * np.eye(positions.shape[1])
    columns = [
        (kinematics.tool_path(positions + step) - kinematics.tool_path(positions - step))
        / (2 * _STEP)
        for step in steps
    ]
    return np.stack(columns, axis=1)


def _directions() -> Array:
    """Return unit vectors that cover a sphere evenly (K, 3): a Fibonacci spiral."""
    k = np.arange(_DIRECTIONS)
    height = 1 - (2 * k + 1) / _DIRECTIONS
    angle = np.pi * (3 - np.sqrt(5)) * k
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
