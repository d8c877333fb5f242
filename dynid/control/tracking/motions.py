"""Motions of a tracking trial, with consistent derivatives."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.tracking.settings import LineSettings, OscillateSettings, TrackingSettings
from dynid.dynamics.kinematics import Kinematics
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.robot.robot import Robot

_KNOTS = 401  # of the spline along a line, for errors far below encoder resolution
_STEPS = 50  # of Newton's method at each
_POSITION_TOLERANCE = 1e-9  # [m]
_DIFFERENCE = 1e-6  # [rad or m] of joint positions, for the Jacobian
_DAMPING = 1e-8


def tracking_motion(settings: TrackingSettings, robot: Robot) -> LineMotion | Oscillation:
    """Return the motion of a robot that its ``tracking`` describes.

    Raises:
        ConfigurationError: the robot cannot make it.
    """
    if isinstance(settings, LineSettings):
        return LineMotion(settings, robot.kinematics())
    return Oscillation(settings, robot.joints)


class Oscillation:
    """One joint at position + A sin(2 pi f t) within an envelope, the others at rest.

    The envelope rises as a smooth step in the first period, and falls in the last.
    """

    def __init__(self, settings: OscillateSettings, joints: tuple[str, ...]) -> None:
        """Raise ConfigurationError where a joint is not one of the robot's."""
        for name in (settings.joint, settings.watch):
            if name not in joints:
                message = f"tracking: the robot has no joint '{name}'; it has {', '.join(joints)}."
                raise ConfigurationError(message)
        self._settings = settings
        self._joint = joints.index(settings.joint)
        self.start = per_joint(settings.position, len(joints), "position")
        self.duration = settings.periods / settings.frequency

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        t = np.clip(np.asarray(time, dtype=np.float64), 0.0, self.duration)
        period = 1 / self._settings.frequency
        rise = _smooth_step(t / period, 1 / period)
        fall = _smooth_step((self.duration - t) / period, -1 / period)
        first_half = t < self.duration / 2
        envelope = tuple(np.where(first_half, *both) for both in zip(rise, fall, strict=True))
        rate, size = 2 * np.pi / period, self._settings.amplitude
        sine = (
            size * np.sin(rate * t),
            size * rate * np.cos(rate * t),
            -size * rate**2 * np.sin(rate * t),
        )
        moved = _product(envelope, sine)
        columns = [np.zeros((t.size, len(self.start))) for _ in range(3)]
        for column, values in zip(columns, moved, strict=True):
            column[:, self._joint] = values
        return Motion(self.start + columns[0], columns[1], columns[2])


class LineMotion:
    """The tool point on a straight line, with speed ramps along smooth steps."""

    def __init__(self, settings: LineSettings, kinematics: Kinematics) -> None:
        """Raise ConfigurationError where the robot does not reach all of the line."""
        joints = len(kinematics.mechanism.joints)
        self.start = per_joint(settings.start, joints, "start")
        direction = np.array(settings.direction)
        size = float(np.linalg.norm(direction))
        if size == 0:
            raise ConfigurationError("tracking: 'direction' must not be zero.")
        # a smooth step's steepest slope is 3 / 2 of its mean one
        reached = np.sqrt(settings.acceleration * settings.length / 1.5)
        self._speed = min(settings.speed, reached)
        self._ramp = 1.5 * self._speed / settings.acceleration
        self._cruise = settings.length / self._speed - self._ramp
        self.duration = 2 * self._ramp + self._cruise
        path = np.linspace(0.0, settings.length, _KNOTS)
        positions = _follow(kinematics, self.start, direction / size, path)
        self._spline = scipy.interpolate.make_interp_spline(path, positions, k=5)
        self._length = settings.length

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        t = np.clip(np.asarray(time, dtype=np.float64), 0.0, self.duration)
        s, ds, dds = (value[:, np.newaxis] for value in self._progress(t))
        along = np.clip(s[:, 0], 0.0, self._length)
        first, second = self._spline(along, 1), self._spline(along, 2)
        return Motion(self._spline(along), first * ds, second * ds**2 + first * dds)

    def _progress(self, t: Array) -> tuple[Array, Array, Array]:
        """Return the distance along the line [m], speed and acceleration."""
        ramp, speed = self._ramp, self._speed
        up, down = t < ramp, t > ramp + self._cruise
        left = np.where(down, self.duration - t, t) / ramp
        x = np.clip(left, 0.0, 1.0)
        ramped = speed * ramp * (x**3 - x**4 / 2)  # the integral of 3 x^2 - 2 x^3
        s = np.where(
            up, ramped, np.where(down, self._length - ramped, speed * ramp / 2 + speed * (t - ramp))
        )
        ds = np.where(up | down, speed * (3 * x**2 - 2 * x**3), speed)
        slope = speed / ramp * 6 * x * (1 - x)
        dds = np.where(up, slope, np.where(down, -slope, 0.0))
        return s, ds, dds


def _follow(kinematics: Kinematics, start: Array, direction: Array, path: Array) -> Array:
    """Return joint positions (K, n) with tool points on the line, by damped Newton steps."""
    origin = kinematics.tool_path(start[np.newaxis])[0]
    positions = np.empty((len(path), len(start)))
    q = start.copy()
    for number, way in enumerate(path):
        goal = origin + way * direction
        for _ in range(_STEPS):
            error = goal - kinematics.tool_path(q[np.newaxis])[0]
            if np.linalg.norm(error) < _POSITION_TOLERANCE:
                break
            jacobian = _jacobian(kinematics, q)
            damped = jacobian @ jacobian.T + _DAMPING * np.eye(3)
            q = q + jacobian.T @ np.linalg.solve(damped, error)
        else:
            raise ConfigurationError(
                f"tracking: the robot does not reach {way:.3f} m along its line; move 'start', "
                "turn 'direction' or shorten 'length'."
            )
        positions[number] = q
    return positions


def _jacobian(kinematics: Kinematics, q: Array) -> Array:
    """Return the tool velocity per joint velocity (3, n), by central differences."""
    steps = _DIFFERENCE * np.eye(len(q))
    ahead, behind = kinematics.tool_path(q + steps), kinematics.tool_path(q - steps)
    jacobian: Array = (ahead - behind).T / (2 * _DIFFERENCE)
    return jacobian


def _smooth_step(x: Array, slope: float) -> tuple[Array, Array, Array]:
    """Return the step 10 x^3 - 15 x^4 + 6 x^5 with two derivatives, where dx/dt = slope."""
    x = np.clip(x, 0.0, 1.0)
    return (
        x**3 * (10 + x * (6 * x - 15)),
        30 * x**2 * (1 - x) ** 2 * slope,
        60 * x * (1 - x) * (1 - 2 * x) * slope**2,
    )


def _product(a: tuple[Array, ...], b: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Return a product with two derivatives."""
    return (a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2])
