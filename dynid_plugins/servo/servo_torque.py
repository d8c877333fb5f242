"""Torque of servos from a recording of commands and positions, in which no torque is measured."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import scipy

from dynid.errors import ConfigurationError
from dynid_plugins.servo.law import ServoLaw, servo_law

if TYPE_CHECKING:
    from dynid.arrays import Array
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot

SERVO_RATE = 500.0
"""Least rate [Hz] at which the servo's law is evaluated between the samples of a recording."""

_ON_TIME = 1e-9
"""Of a sample: delays that are whole numbers of samples shall count as such."""


def law_of(robot: Robot) -> ServoLaw:
    """Return the law of a robot's servos.

    Raises:
        ConfigurationError: the profile has no ``servo``, or it lacks a value.
    """
    if robot.servo is None:
        raise ConfigurationError(
            f"profile '{robot.name}': drives.effort is '{robot.drives.effort}', which needs the "
            "group 'servo' with the law of the drives; docs/encoder-only.md describes it."
        )
    return servo_law(robot.servo, robot.drives, len(robot.joints))


def with_servo_torque(recording: Recording, robot: Robot) -> Recording:
    """Return the recording with the servos' torque in place of commands, duty cycles or voltages.

    ``drives.effort`` names what the recording's effort is. A command is held from its stamp,
    delayed, until the next one, while the joint moves; so the law is evaluated at a multiple of the
    recording's rate (at least 500 Hz), with positions on a cubic spline, and the result has this
    rate. Everything after it filters torque and motion alike. Outputs that were recorded (duty
    cycle, voltage) are interpolated linearly.

    Raises:
        ConfigurationError: the profile does not describe the servos.
    """
    if not robot.drives.of_servo:
        return recording
    return evaluated(recording, law_of(robot), robot)


def evaluated(recording: Recording, law: ServoLaw, robot: Robot) -> Recording:
    """Return the recording with the torque of a law of its servos, see :func:`with_servo_torque`.

    Args:
        recording: of commands and positions.
        law: of the servos.
        robot: whose ``drives.effort`` names what the recording's effort is.
    """
    multiple = max(1, ceil(SERVO_RATE / recording.sampling_rate - _ON_TIME))
    ticks = np.arange((len(recording.time) - 1) * multiple + 1) / multiple  # [samples]
    rate = recording.sampling_rate * multiple
    spline = scipy.interpolate.CubicSpline(np.arange(len(recording.time)), recording.position)
    velocity = spline(ticks, 1) * recording.sampling_rate
    output = _output(recording, law, robot, ticks, spline)
    missing = recording.missing
    return replace(
        recording,
        time=np.arange(len(ticks)) / rate,
        position=spline(ticks),
        velocity=None,
        effort=law.torque(output, velocity),
        sampling_rate=rate,
        missing=None if missing is None else missing[np.rint(ticks).astype(np.intp)],
        gaps=tuple(((a - 1) * multiple + 1, b * multiple) for a, b in recording.gaps),
    )


def _output(
    recording: Recording,
    law: ServoLaw,
    robot: Robot,
    ticks: Array,
    spline: scipy.interpolate.CubicSpline,
) -> Array:
    """Return the output of the servos' loops (M, n) at times in samples (M,)."""
    kind, recorded = robot.drives.effort, recording.effort
    if kind == "position_command":
        rate = recording.sampling_rate
        acting = held(recorded, ticks, law.delay * rate)
        # the loop holds a position for one of its periods
        used = np.maximum(ticks - rate / (2 * law.loop_rate), 0.0)
        return law.output(acting, spline(used), spline(used, 1) * rate)
    linear = np.stack([np.interp(ticks, np.arange(len(recorded)), one) for one in recorded.T], 1)
    if kind == "duty":
        return linear
    servo = robot.servo
    supply = (1.0,) if servo is None or servo.supply_voltage is None else servo.supply_voltage
    return np.asarray(linear / np.asarray(supply))


def held(commands: Array, ticks: Array, delay: float) -> Array:
    """Return the mean of delayed, held commands over each tick's interval, (M, n).

    Args:
        commands: (N, n), each held from its sample on until the next.
        ticks: times (M,) in samples, uniform.
        delay: in samples.
    """
    # integral of a staircase is linear between its steps, so its mean is exact at any delay
    edges = np.arange(len(commands) + 1, dtype=float)
    total = np.concatenate([np.zeros((1, commands.shape[1])), np.cumsum(commands, axis=0)])
    width = ticks[1] - ticks[0]
    first, last = commands[0], commands[-1]

    def integral(at: Array) -> Array:
        inner = np.stack([np.interp(at, edges, one) for one in total.T], axis=1)
        before, after = np.minimum(at, 0.0), np.maximum(at - edges[-1], 0.0)
        return np.asarray(inner + before[:, None] * first + after[:, None] * last)

    at = ticks - delay
    return np.asarray((integral(at + width / 2) - integral(at - width / 2)) / width)
