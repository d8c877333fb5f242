"""What public functions are given: robots, models and recordings, or the files that they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Union

from dynid.arguments import check_path, check_type, checked_call
from dynid.errors import ArgumentError, ConfigurationError
from dynid.excitation.motion import Excitation
from dynid.identification.result import Identification
from dynid.playback.plan import make_plan
from dynid.profile import load_model, load_robot
from dynid.recording import load
from dynid.recording.averaging import Bound
from dynid.recording.bag import DEFAULT_TOPIC
from dynid.recording.model import Recording, given_recordings
from dynid.robot import recordings as robot_recordings
from dynid.robot.description import is_description
from dynid.robot.link_encoders import load_supervised
from dynid.robot.model import Model, nominal_model
from dynid.robot.recordings import with_joints_of
from dynid.robot.robot import Robot
from dynid.signals.settings import SignalSettings
from dynid.text import printable

if TYPE_CHECKING:
    from pandas import DataFrame

RobotLike = Robot | str | Path
"""A robot, or what ``dynid.load_robot`` takes."""
ModelLike = Model | Identification | str | Path
"""A model, its identification, or its file."""
RecordingLike = Union[Recording, str, Path, "DataFrame"]
"""A recording, its file, or a pandas DataFrame as ``Recording.from_frame`` takes it."""
RecordingsLike = RecordingLike | Sequence[RecordingLike] | Iterator[RecordingLike]
"""One or several."""


MotionLike = Excitation | str | Path
"""A motion, or its file."""


@checked_call
def load_recording(
    path: str | Path,
    robot: RobotLike | None = None,
    *,
    topic: str | None = None,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
) -> Recording:
    """Load a recording of a robot, with its ``recording`` settings.

    Of servos, whose torque is not measured, the torque is computed from commands and positions.

    Args:
        path: a rosbag2 (folder, .mcap or .db3) or a table, such as a CSV or NumPy file.
        robot: whose joints are read, in drive order; None: all joints of the file, to look at them.
        topic: in a bag, in place of the robot's setting.
        start: omit samples before this time [s], since the first sample of the run.
        stop: omit samples after this time [s], likewise.
        run: number from 1 of the stretch to read, where the clock was set back.

    Raises:
        RecordingError: the recording cannot be read, lacks a joint, or has positions that the
            robot cannot have reached, such as in degrees.
        ConfigurationError: the profile does not describe the servos.
    """
    check_path("load_recording(): path", path)
    if robot is None:
        read = load.load_recording
        return read(path, None, topic=topic or DEFAULT_TOPIC, start=start, stop=stop, run=run)
    used = as_robot("load_recording(): robot", robot)
    return robot_recordings.load_recording(path, used, topic=topic, start=start, stop=stop, run=run)


def as_robot(name: str, robot: RobotLike) -> Robot:
    """Return a robot, or load it.

    Args:
        name: of the function and its argument, for messages.
        robot: a robot, or what ``dynid.load_robot`` takes.

    Raises:
        ArgumentError: it is neither.
        ConfigurationError: it cannot be loaded.
    """
    used = load_robot(robot) if isinstance(robot, str | Path) else robot
    check_type(name, used, Robot, "or the name or file of one, as dynid.load_robot takes it")
    return used


def as_model(name: str, model: ModelLike) -> Model:
    """Return a model, that of an identification, or load it.

    Raises:
        ArgumentError: it is none of these.
        ModelFileError: it cannot be loaded.
    """
    if isinstance(model, str | Path) and is_description(Path(model)):
        raise ArgumentError(
            f"{name} must be a model.yaml, got the robot's description {printable(model)[:80]}; "
            "dynid.identify() makes a model of it and recordings."
        )
    used = load_model(model) if isinstance(model, str | Path) else model
    used = used.model if isinstance(used, Identification) else used
    check_type(name, used, Model, "or its identification, or the path of model.yaml")
    return used


def as_recordings(
    function: str,
    recordings: RecordingsLike,
    robot: Robot,
    *,
    supervised: bool = False,
    averaged: bool = False,
) -> list[Recording]:
    """Return one or several recordings, loaded with a robot's settings where they are files.

    Long files may be ``averaged``, where a task needs no samples in their place.

    Recordings of joints without names have those of the robot, in its order. Those for collision
    detection (``supervised``) have the links behind elastic gears, where it needs them.

    Raises:
        ArgumentError: there is none, or one is neither a recording nor a file.
        RecordingError: a file cannot be read.
    """
    # a Recording and a DataFrame have items, too
    several = list(recordings) if isinstance(recordings, list | tuple | Iterator) else [recordings]
    bound = Bound(robot.settings(SignalSettings).lowest_rate, len(several)) if averaged else None
    loaded = [_as_recording(recording, robot, supervised, bound) for recording in several]
    return [with_joints_of(recording, robot) for recording in given_recordings(function, loaded)]


def _as_recording(
    recording: RecordingLike, robot: Robot, supervised: bool, bound: Bound | None
) -> Recording:
    """Return a recording from its file or DataFrame, or whatever else was given as it is."""
    if isinstance(recording, str | Path):
        if supervised:
            return load_supervised(Path(recording), robot)
        return robot_recordings.load_recording(Path(recording), robot, bound=bound)
    if hasattr(recording, "iloc"):
        return Recording.from_frame(recording)
    return recording


def as_recordings_or_none(
    function: str, recordings: RecordingsLike, robot: Robot
) -> list[Recording]:
    """Return recordings as :func:`as_recordings` does, or none of an empty list."""
    none = isinstance(recordings, list | tuple) and not recordings
    return [] if none else as_recordings(function, recordings, robot)


def as_motion(name: str, motion: MotionLike, robot: Robot) -> Excitation:
    """Return a motion, or read it and check it against the limits of its robot.

    Raises:
        ArgumentError: it is neither a motion nor a file.
        DynidError: the file cannot be read, or the robot cannot follow.
    """
    if isinstance(motion, str | Path):
        return make_plan(robot, excitation=Path(motion)).excitation
    check_type(name, motion, Excitation, "or its file; dynid.design_excitation() makes one")
    return motion


def torque_model(function: str, robot: Robot, model: ModelLike | None) -> Model:
    """Return the model that predicts torque: the given one, or that of the URDF.

    Raises:
        ConfigurationError: the model is of other joints.
    """
    if model is None:
        return nominal_model(robot)
    used = as_model(f"{function}: model", model)
    if used.mechanism.joints != robot.joints:
        raise ConfigurationError(
            f"{function}: the model is of {', '.join(used.mechanism.joints)}, expected one of "
            f"{', '.join(robot.joints)} as in profile '{robot.name}'."
        )
    return used.with_robot(robot)
