"""The same faults in recordings of real robots, which are not part of the repository."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

from .cases import JudgedCase, given_urdf, turned
from .draws import draw_faults
from .faults import InjectedFault
from .injections import AFTER_NOISE, BEFORE_NOISE, with_faults
from .kinds import CLEAN, KINDS, LISTED
from .plant import Friction, MeasuredMotion, Plant
from .robots import DrawnRobot
from .tree import PinocchioTree
from .trials import JudgedOutcome, judge_case

_SHARE_FITTED = 0.7  # of a single recording; the rest is the motion that is not fitted
_SIGN_SMOOTHING = 0.01  # of the peak velocity


@dataclass(frozen=True)
class RealRecordings:
    """Recordings of a robot without couplings; a single one is divided.

    Attributes:
        robot: name of its profile.
        paths: below the folder of all recordings; the last of several is not fitted.
    """

    robot: str
    paths: tuple[str, ...]


REAL = (
    RealRecordings("ur10", ("ur10/ur10_exciting_trajectory.db3",)),
    RealRecordings(
        "ur10e",
        (
            "ur10e/ur-20_02_12-50sec_12harm.csv",
            "ur10e/ur-20_02_10-30sec_12harm.csv",
            "ur10e/ur-20_02_19_14harm50sec.csv",
        ),
    ),
    RealRecordings("panda", ("panda/exciting_trajectory.csv",)),
    RealRecordings("lwr4", ("lwr/recording_1.npz",)),
)

RealTrial = tuple[Path, RealRecordings, str, int]
"""Folder, recordings, kind and seed."""


def real_trials(
    folder: Path, seed: int, kind: str | None, kinds: Sequence[str] = LISTED
) -> list[RealTrial]:
    """Return a trial of each kind of fault, and a clean one, for all recordings that are there."""
    trials: list[RealTrial] = []
    for given in REAL:
        missing = [path for path in given.paths if not (folder / path).exists()]
        if missing:
            print(f"{given.robot}: skipped, {', '.join(missing)} is not in {folder}")
            continue
        has_velocity = _loaded(folder, given)[2].velocity is not None
        possible = [n for n in kinds if _is_possible(n, given, has_velocity=has_velocity)]
        names = [CLEAN, *possible]
        trials += [(folder, given, name, seed) for name in names if kind in (None, name)]
    return trials


def _is_possible(name: str, given: RealRecordings, *, has_velocity: bool) -> bool:
    kind = KINDS[name]
    enough = kind.recordings <= max(1, len(given.paths) - 1)
    return kind.real and enough and (has_velocity or not (kind.velocity or name == "time_scale"))


def judge_real(trial: RealTrial) -> JudgedOutcome:
    """Inject a fault into recordings of a real robot, and judge what dynid says."""
    begun = time.process_time()
    folder, given, kind, seed = trial
    with threadpool_limits(1, user_api="blas"):
        outcome = judge_case(make_real_case(folder, given, kind, seed), begun)
        return replace(outcome, real=True)


def real_seed(trial: RealTrial) -> int:
    """Return the seed of a trial's case, which stands in the file of outcomes."""
    _, given, kind, seed = trial
    return zlib.crc32(f"{given.robot} {kind} {seed}".encode())


def make_real_case(folder: Path, given: RealRecordings, kind: str, seed: int) -> JudgedCase:
    """Return a case of real recordings with one fault, or none."""
    robot, fitted, unseen, gain = _loaded(folder, given)
    own_seed = real_seed((folder, given, kind, seed))
    tree = PinocchioTree(robot.urdf_xml, robot.joints, robot.modelled_gravity, robot.locked)
    names = [] if kind == CLEAN else [kind]
    random = np.random.default_rng(own_seed)
    faults = draw_faults(names, tree.prismatic, len(fitted), random)
    clean = tuple(_measured(recording, gain) for recording in fitted)
    every = {**BEFORE_NOISE, **AFTER_NOISE}  # there is noise already
    faulty = tuple(
        with_faults(every, faults, motion, tree, number) for number, motion in enumerate(clean)
    )
    gravity = robot.modelled_gravity
    drawn = DrawnRobot(
        robot.name, robot.joints, robot.urdf_xml, robot.urdf_xml, gravity, robot.locked
    )
    drawn = replace(drawn, given_urdf=given_urdf(drawn, faults))
    profile = _with_gravity(robot.with_urdf(drawn.given_urdf), faults)
    plant = Plant(tree, _plain_friction(clean))
    last = _measured(unseen, gain)
    return JudgedCase(own_seed, drawn, plant, profile, faults, faulty, clean, last, gain)


@lru_cache(maxsize=2)
def _loaded(
    folder: Path, given: RealRecordings
) -> tuple[Robot, tuple[Recording, ...], Recording, Array]:
    """Return the robot, what is fitted and what is not, and torque per effort (n,)."""
    robot = load_robot(given.robot)
    loaded = [load_recording(folder / path, robot) for path in given.paths]
    gain = preprocess(loaded[0], robot).torque_per_effort
    if len(loaded) > 1:
        return robot, tuple(loaded[:-1]), loaded[-1], gain
    end = _SHARE_FITTED * loaded[0].duration
    return robot, (loaded[0].cut(None, end),), loaded[0].cut(end, None), gain


def _measured(recording: Recording, gain: Array) -> MeasuredMotion:
    rate, velocity = recording.sampling_rate, recording.velocity
    return MeasuredMotion(rate, recording.position, velocity, recording.effort * gain)


def _with_gravity(robot: Robot, faults: Sequence[InjectedFault]) -> Robot:
    for fault in faults:
        if fault.kind == "wrong_gravity":
            gravity = tuple(turned(list(robot.modelled_gravity), fault))
            return robot.model_copy(update={"gravity": gravity})
    return robot


def _plain_friction(motions: tuple[MeasuredMotion, ...]) -> Friction:
    """Return the shape of friction by which margins are judged; its size is fitted."""
    spans = [np.abs(np.gradient(motion.position, 1 / motion.rate, axis=0)) for motion in motions]
    fastest = np.quantile(np.concatenate(spans), 0.99, axis=0)
    none = np.zeros_like(fastest)
    return Friction(none, none, none, none, none, 0.05 * fastest, _SIGN_SMOOTHING * fastest)
