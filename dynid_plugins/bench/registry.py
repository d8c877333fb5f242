"""Public recordings, and what of each is fitted and held out, read from two tables.

Splits are in a file of their own, so that its history shows whether one was changed after errors
were known. A folder of one's own with both tables takes their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
import scipy
from pydantic import Field

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.profile import load_robot, make_robot
from dynid.recording.model import Recording, digest
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

OWN = Path(__file__).parent
ROBOT_KEYS = (
    "robot",
    "urdf",
    "joints",
    "locked",
    "gravity",
    "coupling",
    "closed_chain",
    "drives",
    "recording",
    "limits",
)
"""What data sheets say of a robot; all else is a setting of a task."""


class RecordingFile(Settings):
    """One file of a recording.

    Attributes:
        sha256: of the file that was used.
        url: of exactly this file, or "" where it has to be unpacked or converted.
        converted: what was done to the file of the source; "" for nothing.
    """

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    url: str = ""
    converted: str = ""


class PublishedFigure(Settings):
    """An error that the authors of a recording published.

    Attributes:
        error_percent: relative error of the torque [%].
        of: what it is of, and how that differs from the split here.
        averaged: whether it is the mean over joints, not the error of all joints together.
    """

    error_percent: float
    of: str
    averaged: bool = False


class RecordingPart(Settings):
    """Seconds of a recording, from ``start`` to ``stop``."""

    path: str
    start: float | None = None
    stop: float | None = None


class RecordingSplit(Settings):
    """What is fitted, what is held out, and how they were divided."""

    fit: tuple[RecordingPart, ...] = Field(min_length=1)
    held_out: tuple[RecordingPart, ...] = Field(min_length=1)
    note: str


class PublicRecording(Settings):
    """Recordings of one robot: where they are from, and how they are read and evaluated.

    Attributes:
        title: of the robot.
        source: repository or page.
        licence: of the recordings; "unknown" ones are used by reference alone.
        citation: of the article that they belong to.
        units: as recorded.
        files: by their paths in the folder of the recordings.
        cutoff_hz: of the zero-phase low-pass through which every model is evaluated [Hz].
        loader: function that reads a part; ``dynid`` is dynid's own reader.
        profile: shipped profile whose data sheets hold; None for the URDF alone.
        urdf: of a robot without a profile.
        data_sheet: keys of a profile that hold for a robot without one, as gravity and columns.
        shipped: whether the whole profile was made for these recordings.
        published: figure of the authors.
        split: from the file of splits.
    """

    title: str
    source: str
    licence: str
    citation: str
    units: str
    files: Mapping[str, RecordingFile]
    cutoff_hz: float = Field(gt=0)
    loader: Literal["dynid", "emps", "kr300", "time_q_dq_tau"] = "dynid"
    profile: str | None = None
    urdf: str = ""
    data_sheet: dict[str, object] = Field(default_factory=dict)
    shipped: bool = True
    published: PublishedFigure | None = None
    split: RecordingSplit

    def robot(self, folder: Path) -> Robot:
        """Return the robot with what its URDF and its data sheets say, and no task's settings."""
        whole = load_robot(self.profile or str(folder / self.urdf))
        content = whole.yaml_content(exclude_unset=True) | self.data_sheet
        keys = [key for key in ROBOT_KEYS if self.shipped or key != "recording"]
        return make_robot(
            {key: content[key] for key in keys if key in content}, whole.urdf_xml, where=self.title
        )

    def shipped_robot(self) -> Robot | None:
        """Return the robot with its whole profile; None where none was made for the recordings."""
        return load_robot(self.profile) if self.profile is not None and self.shipped else None

    def recordings(self, folder: Path, robot: Robot) -> tuple[list[Recording], list[Recording]]:
        """Return what is fitted, and what is held out."""

        def read(part: RecordingPart) -> Recording:
            path = folder / part.path
            if self.loader == "dynid":
                return load_recording(path, robot, start=part.start, stop=part.stop)
            return _LOADERS[self.loader](path, robot).cut(part.start, part.stop)

        return [read(part) for part in self.split.fit], [read(part) for part in self.split.held_out]

    def missing(self, folder: Path) -> str:
        """Return why the recordings cannot be used, in a sentence; "" if they can be."""
        for path, file in self.files.items():
            if not (folder / path).is_file():
                return f"{path} is not in {folder}."
            if digest(folder / path) != file.sha256:
                return f"{path} in {folder} is another file than the registry's: SHA-256 differs."
        return ""


def public_recordings(folder: Path = OWN) -> dict[str, PublicRecording]:
    """Return the recordings of ``recordings.yaml`` with the splits of ``splits.yaml``, by name.

    Raises:
        ConfigurationError: a file is missing, an entry is invalid, or has no split.
    """
    entries, splits = (read_yaml(folder / f"{name}.yaml") for name in ("recordings", "splits"))
    if odd := sorted(set(entries) ^ set(splits)):
        message = f"{folder}: {odd[0]} is in only one of recordings.yaml and splits.yaml; add it."
        raise ConfigurationError(message)
    return {
        name: parse(PublicRecording, {**entry, "split": splits[name]}, f"recordings.yaml: {name}")
        for name, entry in entries.items()
    }


def download(recording: PublicRecording, cache: Path) -> str:
    """Fetch a recording's files into a cache, and return why one could not be, or "".

    Raises:
        ModuleNotFoundError: pooch is not installed.
    """
    import pooch  # noqa: PLC0415  of the extra

    for path, file in recording.files.items():
        target = cache / path
        if target.is_file():
            continue
        if not file.url:
            return f"{path} has no address of its own: copy it to {target} ({recording.source})."
        try:
            pooch.retrieve(file.url, f"sha256:{file.sha256}", fname=target.name, path=target.parent)
        except (OSError, ValueError) as error:  # no network; another file
            return f"{path} could not be fetched: {error}."
    return ""


def _emps(path: Path, robot: Robot) -> Recording:
    """Read motor position, and the voltage of the current loop times the force per volt."""
    values = scipy.io.loadmat(path)
    time, position, voltage = (np.ravel(values[name]) for name in ("t", "qm", "vir"))
    force = voltage * float(np.ravel(values["gtau"])[0])
    return Recording.from_arrays(time, position, force, joint_names=robot.joints)


def _kr300(path: Path, robot: Robot) -> Recording:
    """Read positions of the motor encoders at the joints' side, 250 Hz."""
    values = scipy.io.loadmat(path, simplify_cells=True)["rec"]
    position = np.deg2rad(np.asarray(values["act_pos_mot_deg"]))
    torque = np.asarray(values["act_torque_abs_nm"])
    if position.shape[0] < position.shape[1]:
        position, torque = position.T, torque.T
    time = np.arange(len(position)) / 250.0
    return Recording.from_arrays(time, position, torque, joint_names=robot.joints)


def _time_q_dq_tau(path: Path, robot: Robot) -> Recording:
    """Read a table with one line of names: time, n positions, n velocities, n torques, in SI."""
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    ends = 1 + len(robot.joints) * np.arange(3)
    time, position, velocity, torque = np.split(table, ends, axis=1)
    return Recording.from_arrays(
        time[:, 0], position, torque, velocity=velocity, joint_names=robot.joints
    )


_LOADERS: Mapping[str, Callable[[Path, Robot], Recording]] = {
    "emps": _emps,
    "kr300": _kr300,
    "time_q_dq_tau": _time_q_dq_tau,
}
"""Readers of files that neither a profile's column map nor a table's names describe."""
