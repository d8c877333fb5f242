"""Recordings of real robots, divided once into what is fitted and what is held out.

None is part of this repository (docs/real-data.md says where each is from).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from dynid.profile import load_robot, make_robot
from dynid.recording.model import Recording
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_ROBOT_KEYS = (
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


@dataclass(frozen=True)
class Part:
    """Seconds of a recording, from ``start`` to ``stop``."""

    path: str
    start: float | None = None
    stop: float | None = None


@dataclass(frozen=True)
class Trial:
    """What is fitted and what is held out.

    Attributes:
        name: of the robot.
        cutoff_hz: of the filters with which every model is evaluated [Hz].
        fitted, held_out: parts of recordings.
        note: how they were divided.
        profile: name of the shipped profile whose data sheets hold; None: the URDF alone.
        urdf: of a robot without a profile, or "".
        load: reads a part where the profile or the URDF cannot.
        shipped: whether the whole profile was made for these recordings.
    """

    name: str
    cutoff_hz: float
    fitted: tuple[Part, ...]
    held_out: tuple[Part, ...]
    note: str
    profile: str | None = None
    urdf: str = ""
    load: Callable[[Path, Robot], Recording] | None = None
    shipped: bool = True

    def robot(self, folder: Path) -> Robot:
        """Return the robot with what its URDF and its data sheets say, and no task's settings."""
        if self.profile is None:
            return load_robot(str(folder / self.urdf))
        whole = load_robot(self.profile)
        content = whole.yaml_content(exclude_unset=True)
        keys = [key for key in _ROBOT_KEYS if self.shipped or key != "recording"]
        return make_robot(
            {key: content[key] for key in keys if key in content}, whole.urdf_xml, where=self.name
        )

    def recordings(self, folder: Path, robot: Robot) -> tuple[list[Recording], list[Recording]]:
        """Return what is fitted, and what is held out."""

        def read(part: Part) -> Recording:
            if self.load is None:
                path = folder / part.path
                return load_recording(path, robot, start=part.start, stop=part.stop)
            return self.load(folder / part.path, robot).cut(part.start, part.stop)

        return [read(part) for part in self.fitted], [read(part) for part in self.held_out]


def _emps(path: Path, robot: Robot) -> Recording:
    """Motor position, and the voltage of the current loop times the force per volt."""
    values = scipy.io.loadmat(path)
    time, position, voltage = (np.ravel(values[name]) for name in ("t", "qm", "vir"))
    force = voltage * float(np.ravel(values["gtau"])[0])
    return Recording.from_arrays(time, position, force, joint_names=robot.joints)


def _kr300(path: Path, robot: Robot) -> Recording:
    """Positions of the motor encoders at the joints' side, 250 Hz."""
    values = scipy.io.loadmat(path, simplify_cells=True)["rec"]
    position = np.deg2rad(np.asarray(values["act_pos_mot_deg"]))
    torque = np.asarray(values["act_torque_abs_nm"])
    if position.shape[0] < position.shape[1]:
        position, torque = position.T, torque.T
    time = np.arange(len(position)) / 250.0
    return Recording.from_arrays(time, position, torque, joint_names=robot.joints)


def _pendulum(path: Path, robot: Robot) -> Recording:
    time, position, velocity, torque = np.genfromtxt(path, delimiter=",", skip_header=1).T
    return Recording.from_arrays(
        time, position, torque, velocity=velocity, joint_names=robot.joints
    )


def _split(path: str, at: float) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    return (Part(path, stop=at),), (Part(path, start=at),)


_UR10E = "ur10e/ur-20_{}.csv"
_OTHER_DAYS = (
    "01_17-ptp_10_points",
    "02_19_14harm50sec",
    "02_10-30sec_12harm",
    "01_31-unload",
)
TRIALS = (
    Trial(
        "ur10",
        5.0,
        *_split("ur10/ur10_exciting_trajectory.db3", 19.26),
        "first 70 %, rest",
        profile="ur10",
    ),
    Trial(
        "ur10e",
        10.0,
        (Part(_UR10E.format("02_12-50sec_12harm")),),
        tuple(Part(_UR10E.format(name)) for name in _OTHER_DAYS),
        "one excitation, four recordings of other days",
        profile="ur10e",
    ),
    Trial(
        "tx40",
        20.0,
        (Part("tx40", stop=3.0), Part("tx40", start=5.0)),
        (Part("tx40", start=3.0, stop=5.0),),
        "before 3 s and after 5 s, between them (its end moves little)",
        profile="tx40",
    ),
    Trial(
        "panda",
        10.0,
        *_split("panda/exciting_trajectory.csv", 14.7),
        "first 70 %, rest",
        profile="panda",
    ),
    Trial(
        "panda_salerno",
        5.0,
        *_split("panda_salerno/panda_exciting_trajectory.db3", 17.0),
        "first 17 s, rest",
        profile="panda",
        shipped=False,
    ),
    Trial("lwr4", 10.0, *_split("lwr/recording_1.npz", 17.6), "first 70 %, rest", profile="lwr4"),
    Trial(
        "dvrk_psm",
        5.4,
        *_split("dvrk/psm_one_results.csv", 21.0),
        "first 70 %, rest",
        profile="dvrk_psm",
    ),
    Trial(
        "dvrk_mtm",
        1.8,
        *_split("dvrk/mtm_one_results.csv", 21.0),
        "first 70 %, rest",
        profile="dvrk_mtm",
    ),
    Trial(
        "emps",
        50.0,
        (Part("emps/DATA_EMPS.mat"),),
        (Part("emps/DATA_EMPS_PULSES.mat"),),
        "reference motion, motion with pulses",
        urdf="emps/emps.urdf",
        load=_emps,
    ),
    Trial(
        "kr300",
        10.0,
        (Part("kr300/A.mat"),),
        (Part("kr300/B.mat"),),
        "recording A, recording B",
        urdf="kr300/kr300.urdf",
        load=_kr300,
    ),
    Trial(
        "dfki_pendulum",
        5.0,
        (Part("dfki_pendulum/sac.csv"),),
        (Part("dfki_pendulum/energy_shaping.csv", stop=15.5),),
        "one controller, another one until somebody touches it",
        urdf="dfki_pendulum/dfki_simple_pendulum.urdf",
        load=_pendulum,
    ),
)


def present(folder: Path, names: list[str]) -> Iterator[Trial]:
    """Yield the trials of these robots whose recordings are in the folder; name the others."""
    for trial in TRIALS:
        if trial.name not in names:
            continue
        if (folder / trial.fitted[0].path).exists():
            yield trial
        else:
            print(f"{trial.name}: its recordings are not in {folder}.\n")
