"""Recordings with an encoder at the motor and another one at the link of a joint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError, RecordingError
from dynid.recording.model import Recording, source_names
from dynid.robot.elastic import elastic_settings
from dynid.robot.link_encoders import load_both_encoders
from dynid.robot.robot import Robot

_LARGEST_RATIO = 1.2  # of the motions of both encoders; more is another unit
_AT_REST = 1e-3  # of the motion of the other encoder


def name_of(recording: Recording) -> str:
    """Return the name of a recording's file."""
    return source_names(recording.sources) or "the recording"


def load_two_encoders(
    path: Path,
    robot: Robot,
    *,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
) -> Recording:
    """Load a recording whose encoders the profile's ``recording`` and ``elastic`` describe.

    Args:
        path: of the recording.
        robot: with the settings.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].
        run: number of the stretch, where the clock was set back.

    Raises:
        ConfigurationError: the profile names no second encoder, or has a coupling.
        RecordingError: the recording cannot be read, or its encoders do not belong together.
    """
    settings = elastic_settings(robot)
    if settings.link_position is None:
        message = (
            f"profile '{robot.name}' names no encoders at the links: give their columns in "
            "elastic.link_position (docs/friction.md#elastic-joints), or use `dynid identify "
            "resonance`, which needs the motors' alone."
        )
        raise ConfigurationError(message)
    both = load_both_encoders(path, robot, start=start, stop=stop, run=run)
    return two_encoders(both, np.asarray(both.link_position), robot)


def two_encoders(motor: Recording, link_position: Array, robot: Robot) -> Recording:
    """Return a recording of both encoders, after a check that they measure the same motion.

    Args:
        motor: with the positions of the motors, behind the gear.
        link_position: (N, n) [rad or m], on the same time axis; columns of joints that are not
            elastic are ignored.
        robot: with the profile's ``elastic``.

    Raises:
        ConfigurationError: the robot has a coupling.
        RecordingError: an encoder stands still, or counts in another unit or direction.
    """
    if robot.coupling is not None:
        message = (
            f"profile '{robot.name}': elastic joints are identified without a coupling of motors "
            "and joints; remove 'coupling', and give positions of the joints."
        )
        raise ConfigurationError(message)
    elastic = elastic_settings(robot).indices(robot)
    for joint in elastic:
        pair = motor.position[:, joint], link_position[:, joint]
        _check_same_motion(*pair, f"{name_of(motor)}: the encoders of '{robot.joints[joint]}'")
    chosen = motor.position.copy()
    chosen[:, list(elastic)] = link_position[:, list(elastic)]
    return replace(motor, link_position=chosen)


def _check_same_motion(motor: Array, link: Array, where: str) -> None:
    turned, moved = (float(np.std(one)) for one in (motor, link))
    if moved <= _AT_REST * turned:
        message = (
            f"{where} disagree: that of the link stands still while the motor turns. Leave the "
            "joint out of elastic.joints, or name the right column in elastic.link_position."
        )
        raise RecordingError(message)
    if turned <= _AT_REST * moved:
        message = f"{where} disagree: that of the motor stands still while the link turns."
        raise RecordingError(message)
    ratio = float(np.cov(motor, link)[0, 1]) / moved**2
    if not 1 / _LARGEST_RATIO < ratio < _LARGEST_RATIO:
        message = (
            f"{where} disagree: the motor moves {ratio:.4g} times as far as the link, where 1 is "
            "expected behind the gear; correct 'factor' or 'sign' of elastic.link_position or of "
            "recording.columns.position."
        )
        raise RecordingError(message)
