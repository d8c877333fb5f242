"""The whole identification of 50 000 samples of six joints, against the bare regressor loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import pinocchio
from swing import Swing

from dynid.dynamics.mechanism import Mechanism
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

_SAMPLES, _RATE, _RUNS = 50_000, 1000.0, 5
_TERMS = "[{kind: viscous}, {kind: coulomb}, {kind: offset}, {kind: rotor_inertia}]"


def recorded(mechanism: Mechanism, samples: int = _SAMPLES) -> Recording:
    """Every joint swinging at 1 kHz, with friction and a little noise of torque."""
    parameters = np.array(mechanism.urdf_parameters)
    parameters[10 * len(mechanism.joints) :] = 1.0
    clock = np.arange(samples) / _RATE
    q, dq, ddq = Swing(len(mechanism.joints), highest_hz=1.0).at(clock)
    noise = 0.5 * np.random.default_rng(1).standard_normal(q.shape)
    torque = mechanism.torque(q, dq, ddq, parameters) + noise
    return Recording(
        time=clock,
        position=q,
        velocity=dq,
        effort=torque,
        joint_names=mechanism.joints,
        sampling_rate=_RATE,
    )


def seconds(task: Callable[[], object]) -> float:
    """Median processor time over several runs, after one that does not count."""
    task()
    times = []
    for _ in range(_RUNS):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return median(times)


def example_robot() -> Robot:
    """A UR10e with simple joint terms, whose recorded effort is torque."""
    return load_robot(
        "ur10e",
        overrides=[
            f"terms={_TERMS}",
            "drives={effort: torque}",
            "identification={cutoff_hz: 10, velocity_threshold: {fit: all}}",
        ],
    )


def main() -> None:
    """Time the identification, pinocchio's loop from Python, and dynid's regressor."""
    robot = example_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism)
    automatic = load_robot(
        "ur10e", overrides=["terms=auto", "drives={effort: torque}", "identification={}"]
    )
    position, velocity = recording.position, np.asarray(recording.velocity)
    model = pinocchio.buildModelFromXML(robot.urdf_xml)
    data = model.createData()

    def bare_loop() -> None:
        for sample in range(_SAMPLES):
            pinocchio.computeJointTorqueRegressor(
                model, data, position[sample], velocity[sample], velocity[sample]
            )

    bare = seconds(bare_loop)
    regressor = np.empty((_SAMPLES, 6, len(mechanism.parameter_names)))
    rows = {
        "pinocchio's regressor, loop in Python": bare,
        "dynid's regressor, all samples": seconds(
            lambda: mechanism.regressor(position, velocity, velocity, out=regressor)
        ),
        "whole identification": seconds(lambda: identify(robot, recording)),
        "filters and terms chosen as well": seconds(lambda: identify(automatic, recording)),
    }
    print(f"{_SAMPLES} samples x 6 joints, median of {_RUNS}")
    for name, value in rows.items():
        print(f"{name:40s} {value * 1e3:7.1f} ms   {value / bare:5.2f} x the first")


if __name__ == "__main__":
    main()
