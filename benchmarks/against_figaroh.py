"""Identify the same simulated robot with dynid, FIGAROH, and bare pinocchio.

    pip install figaroh
    python benchmarks/against_figaroh.py [--samples 50000]

One process, one recording: a UR10e that swings at 1 kHz, with viscous and Coulomb friction, rotor
inertia and offset of 1 at every joint, and torque noise of 0.5 N m; positions and velocities have
no noise. All filter at 10 Hz. Time is CPU time of all threads, without imports. Errors are of
torque along another motion, against the true torque: root mean square over that of the torque,
mean and largest of the joints.

bare pinocchio  its regressor in a loop in Python, columns of joint terms, ``numpy.linalg.lstsq``
FIGAROH         ``BaseIdentification`` with its defaults: decimated by 10, base parameters by QR;
                without and with its weighted least squares
dynid           ``identify``: weighted least squares, physically consistent parameters, standard
                deviations, cross-validation, diagnosis

Their excitations: ``excitation_against_figaroh.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pinocchio
import yaml
from bench_identification import example_robot, recorded
from scipy.signal import butter, sosfiltfilt
from swing import Swing

import dynid
from dynid.excitation.motion import Motion

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.arrays import Array
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot

    Predict = Callable[[Motion], Array]  # torque (N, n) of an identified model

_RATE, _CUTOFF_HZ, _HELD_OUT = 1000.0, 10.0, 5_000


class Case(NamedTuple):
    """A robot, its recording, and the motion and true torque (N, n) that are held out."""

    robot: Robot
    recording: Recording
    motion: Motion
    torque: Array


def case_of(samples: int) -> Case:
    """Return the robot, what is recorded of it, and what is held out."""
    robot = example_robot()
    mechanism = robot.mechanism()
    parameters = mechanism.urdf_parameters.copy()
    parameters[mechanism.first_term :] = 1.0
    swing = Swing(len(mechanism.joints), highest_hz=0.7)
    motion = Motion(*swing.at(np.arange(_HELD_OUT) / _RATE))
    torque = mechanism.torque(*motion, parameters)
    return Case(robot, recorded(mechanism, samples), motion, torque)


def by_pinocchio(case: Case) -> Predict:
    """Ordinary least squares of all parameters with pinocchio, numpy and scipy alone."""
    model = pinocchio.buildModelFromXML(case.robot.urdf_xml)
    data = model.createData()
    low_pass = butter(4, _CUTOFF_HZ, fs=_RATE, output="sos")

    def regressor(motion: Motion) -> Array:
        q, dq, ddq = motion
        each = np.eye(model.nv)
        terms = [dq[..., None] * each, np.sign(dq)[..., None] * each, ddq[..., None] * each]
        bodies = [
            pinocchio.computeJointTorqueRegressor(model, data, *one)
            for one in zip(q, dq, ddq, strict=True)
        ]
        offsets = np.broadcast_to(each, terms[0].shape)
        return np.concatenate([np.array(bodies), *terms, offsets], axis=2)

    q = sosfiltfilt(low_pass, case.recording.position, axis=0)
    dq = sosfiltfilt(low_pass, case.recording.velocity, axis=0)
    ddq = np.gradient(dq, 1 / _RATE, axis=0)
    rows = regressor(Motion(q, dq, ddq))
    torque = np.asarray(case.recording.effort).ravel()
    found = np.linalg.lstsq(rows.reshape(len(torque), -1), torque, rcond=None)[0]
    return lambda motion: np.asarray(regressor(motion) @ found)


def by_dynid(case: Case) -> Predict:
    """All that ``dynid identify`` computes, without reading and writing."""
    found: Mechanism = dynid.identify(case.robot, case.recording).model.mechanism
    return lambda motion: found.torque(*motion, found.parameters)


def by_figaroh(case: Case, *, weighted: bool) -> Predict:
    """FIGAROH's identification as its subclasses for robots use it."""
    from figaroh.identification.base_identification import BaseIdentification
    from figaroh.tools import regressor
    from figaroh.tools.load_robot import load_robot

    recording = case.recording

    class Identification(BaseIdentification):  # type: ignore[misc]
        def load_trajectory_data(self, data_source: str | None = None) -> dict[str, Array | None]:
            del data_source
            return {
                "timestamps": recording.time,
                "positions": recording.position,
                "velocities": recording.velocity,
                "accelerations": None,
                "torques": recording.effort,
            }

    with tempfile.TemporaryDirectory() as folder:
        urdf, settings = Path(folder, "robot.urdf"), Path(folder, "settings.yaml")
        urdf.write_text(case.robot.urdf_xml, "utf-8")
        settings.write_text(yaml.safe_dump(_figaroh_settings(recording)), "utf-8")
        robot = load_robot(str(urdf), package_dirs=folder)
        fit = Identification(robot, str(settings))
    joints = list(range(robot.model.nv))
    fit.identif_config.update(act_idxq=joints, act_idxv=joints)  # left to subclasses
    with contextlib.redirect_stdout(io.StringIO()):  # a report
        fit.initialize()
        fit.solve(plotting=False, wls=weighted)

    def predict(motion: Motion) -> Array:
        rows = regressor.build_regressor_basic(robot, *motion, fit.identif_config)
        rows = regressor.build_regressor_reduced(rows, fit._idx_eliminated)[:, fit._base_indices]  # noqa: SLF001
        return np.asarray((rows @ fit.phi_base).reshape(len(joints), -1).T)

    return predict


def _figaroh_settings(recording: Recording) -> dict[str, object]:
    task = {
        "joints": {"active_joints": list(recording.joint_names)},
        "signal_processing": {"sampling_frequency": _RATE, "cutoff_frequency": _CUTOFF_HZ},
    }
    return {"robot": {"name": "ur10e"}, "tasks": {"identification": task}}


def show(name: str, case: Case, identify: Callable[[Case], Predict], reference: float) -> float:
    """Identify, print time and errors, and return the time [s]."""
    start = time.process_time()
    predict = identify(case)
    seconds = time.process_time() - start
    errors = np.sqrt(np.mean((predict(case.motion) - case.torque) ** 2, axis=0))
    errors = 100 * errors / np.sqrt(np.mean(case.torque**2, axis=0))
    ratio = seconds / (reference or seconds)
    print(
        f"{name:38s} {seconds:7.2f} s {ratio:6.2f} x   "
        f"{errors.mean():6.3f} % {errors.max():6.3f} %",
        flush=True,
    )
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=50_000)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    case = case_of(given.samples)
    by_dynid(case_of(5_000))  # imports, which do not count
    print(f"{given.samples} samples x 6 joints: CPU time, torque error of another motion")
    bare = show("bare pinocchio, least squares", case, by_pinocchio, 0.0)
    show("dynid", case, by_dynid, bare)
    try:
        figaroh = f"FIGAROH {version('figaroh')}"
    except PackageNotFoundError:
        print("skipped: FIGAROH, the package figaroh is not installed")
    else:
        by_figaroh(case_of(1_000), weighted=False)
        show(f"{figaroh}, least squares", case, lambda c: by_figaroh(c, weighted=False), bare)
        show(f"{figaroh}, weighted", case, lambda c: by_figaroh(c, weighted=True), bare)


if __name__ == "__main__":
    main()
