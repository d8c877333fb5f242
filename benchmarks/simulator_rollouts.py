"""Errors of simulated motion in MuJoCo, before and after identification.

Every second of recordings that the identification has not seen is simulated under its recorded
torques, from its recorded state, without any correction. The error is the root mean square of
simulated minus recorded positions over all samples of all seconds, the travel that of the recorded
distance from the start of each second. Three models in MJCF:

- URDF: masses and inertias of the shipped URDF, without friction and armature;
- identified: `dynid model export` of the identified model;
- less offset: the same, with the identified constant torques subtracted from the recorded ones,
  which MJCF does not have.

Torques are recorded ones through the filter of the profile. The simulated robots are recorded with
the noise and the friction of their profiles. The recordings of real robots are not part of this
repository (docs/real-data.md).

Run: python benchmarks/simulator_rollouts.py [--data FOLDER] [--robots NAME …]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from real_recordings import DATA
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.excitation.motion import Motion
from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.simulation.simulate import simulate
from dynid_plugins.bench.registry import PublicRecording, public_recordings
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.torque_rollouts import TorqueRollouts, torque_rollouts

SHIPPED = ("ur10", "ur10e", "tx40", "panda", "lwr4")
SIMULATED = ("scara_2r", "spatial_3r", "puma560", "yumi_arm")
MOTIONS = (900, 901)  # seeds of the excitations


class Case(NamedTuple):
    """A robot with recordings to identify it from, and others."""

    robot: Robot
    fitted: list[Recording]
    unseen: list[Recording]
    note: str


def main() -> None:
    """Print the errors of every robot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the recordings")
    names = [*SHIPPED, *SIMULATED]
    parser.add_argument("--robots", nargs="*", default=names)
    options = parser.parse_args()
    for name in options.robots:
        recording = public_recordings()[name] if name in SHIPPED else None
        if recording is not None and (why := recording.missing(options.data)):
            print(f"{name}: {why}\n")
            continue
        with threadpool_limits(1, user_api="blas"):
            print_case(case(name, recording, options.data))


def case(name: str, recording: PublicRecording | None, folder: Path) -> Case:
    """Return the recordings of a robot, public or simulated ones."""
    robot = load_robot(name)
    if recording is None:
        first, second = (make_plan(robot, seed=seed).excitation for seed in MOTIONS)
        fitted, unseen = simulate(robot, first, seed=1), simulate(robot, second, seed=2)
        return Case(robot, [fitted], [unseen], "simulated, another motion")
    parts = recording.recordings(folder, robot)
    return Case(robot, *parts, recording.split.note)


def print_case(one: Case) -> None:
    """Print the errors of the three models, joint by joint."""
    robot, count = one.robot, len(one.robot.joints)
    model = identify(robot, one.fitted).model
    signals = [preprocess(recording, model.robot) for recording in one.unseen]
    fitted = preprocess(one.fitted[0], model.robot)
    motion = Motion(fitted.position, fitted.velocity, fitted.acceleration)
    offset = constant_torques(model)
    moved = [replace(each, torque=each.torque - offset) for each in signals]
    before = nominal_model(robot.with_terms(()))
    found = {
        "URDF": simulated_windows(before, motion, signals),
        "identified": simulated_windows(model, motion, signals),
        "less offset": simulated_windows(model, motion, moved),
    }
    unit = "mrad" if not any(model.mechanism.prismatic) else "mrad, mm"
    joints = "".join(f"{f'J{number}':>8s}" for number in range(1, count + 1))
    windows = sum(len(part.time) for part in found["URDF"])
    print(f"{robot.name}: {one.note}; {windows} windows of 1 s [{unit}]\n{'':<14s}{joints}")
    print(f"{'travel':<14s}{_cells([part.travel for part in found['URDF']], found['URDF'])}")
    for name, parts in found.items():
        print(f"{name:<14s}{_cells([part.error for part in parts], parts)}", flush=True)
    print()


def simulated_windows(
    model: Model, motion: Motion, signals: Sequence[Signals]
) -> list[TorqueRollouts]:
    """Return the simulated windows of recordings, in MuJoCo."""
    path = Path(f"{model.robot.name}.xml")
    compiled = MujocoModel(export_along(model, "mjcf", motion).text, path)
    return [torque_rollouts(compiled, model.robot.joints, each) for each in signals]


def constant_torques(model: Model) -> Array:
    """Return the constant torques of a model at its joints (n,)."""
    mechanism = model.mechanism
    values = np.zeros(len(mechanism.parameters))
    for number, term in enumerate(mechanism.terms, start=mechanism.first_term):
        if term.kind == "offset":
            values[number] = mechanism.parameters[number]
    still = np.zeros(len(mechanism.joints))
    return mechanism.with_parameters(values).term_torque(still, still, still)


def _cells(values: Sequence[Array], parts: Sequence[TorqueRollouts]) -> str:
    """Return root mean squares over recordings, weighted by their samples."""
    weights = [part.position[..., 0].size for part in parts]
    together = np.sqrt(np.average(np.square(values), axis=0, weights=weights))
    return "".join(f"{1e3 * value:8.1f}" for value in together)


if __name__ == "__main__":
    main()
