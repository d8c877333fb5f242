"""Reading of a rig's file and of the recordings that it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dynid.configuration import parse, read_yaml
from dynid.identification.servo.rig_runs import RigRun, RigSettings, rig_robot, rig_run
from dynid.input_file import is_file
from dynid.profile import load_robot
from dynid.robot.recordings import load_commands


def load_rig(path: Path, overrides: Sequence[str] = ()) -> list[RigRun]:
    """Return the runs of a rig's file.

    Args:
        path: of the file, which its paths are relative to.
        overrides: of the profile's keys.

    Raises:
        ConfigurationError: the file or its profile is missing or invalid.
        RecordingError: a recording cannot be read.
    """
    settings = parse(RigSettings, read_yaml(path), path.name)
    profile = path.parent / settings.profile
    robot = load_robot(profile if is_file(profile) else settings.profile, overrides=overrides)
    runs = []
    for run in settings.runs:
        rig_robot(robot, run)  # before anything is read
        recording = path.parent / run.recording
        commanded = load_commands(recording, robot, start=run.start, stop=run.stop)
        runs.append(rig_run(run.recording, robot, commanded, run))
    return runs
