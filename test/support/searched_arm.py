"""A spatial arm, and the search for what explains its recordings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.hypotheses.samples import sampled
from dynid.evaluation.hypotheses.search import ChosenCause, search
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial, hypothesis_mechanism
from dynid.evaluation.hypotheses.wording import Wording
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from support.synthetic import recorded

URDF = """
<robot name="crane"><link name="base"/>
  <link name="column"><inertial><mass value="5"/><origin xyz="0.03 0.01 0.1"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.06" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="boom"><inertial><mass value="4"/><origin xyz="0.2 0.04 0.01"/>
    <inertia ixx="0.02" iyy="0.08" izz="0.08" ixy="0.003" ixz="0.002" iyz="0"/></inertial></link>
  <link name="jib"><inertial><mass value="2.5"/><origin xyz="0.18 -0.03 0.05"/>
    <inertia ixx="0.01" iyy="0.04" izz="0.04" ixy="0" ixz="0.001" iyz="0.001"/></inertial></link>
  <joint name="pan" type="revolute"><parent link="base"/><child link="column"/>
    <origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
  <joint name="lift" type="revolute"><parent link="column"/><child link="boom"/>
    <origin xyz="0.05 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
  <joint name="elbow" type="revolute"><parent link="boom"/><child link="jib"/>
    <origin xyz="0.4 0.1 0"/><axis xyz="0.2588190451 0.9659258263 0"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
</robot>
"""
JOINTS = ("pan", "lift", "elbow")
PAN, LIFT, ELBOW = np.eye(3)
RATE = 100.0
FRICTION = {"Fv": (1.0, 0.8, 0.4), "Fc": (1.0, 0.8, 0.5), "Off": (0.1, -0.1, 0.1)}
NOISE = 0.05  # [N m]


def crane(**changes: object) -> Robot:
    """Return a robot with a column that pans, a boom that is lifted, and a jib at its elbow."""
    content: dict[str, object] = {
        "robot": "crane",
        "urdf": "crane.urdf",
        "joints": list(JOINTS),
        "terms": [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}],
        "identification": {"cutoff_hz": None, "trim_rest": False},
    }
    return make_robot(content | changes, URDF)


def crane_parameters(robot: Robot) -> np.ndarray:
    """Return the true parameters of the crane."""
    mechanism = robot.mechanism()
    parameters: np.ndarray = mechanism.urdf_parameters.copy()
    for prefix, values in FRICTION.items():
        for joint, value in enumerate(values, start=1):
            parameters[mechanism.parameter_names.index(f"{prefix}{joint}")] = value
    return parameters


@cache
def crane_recording(seed: int = 0) -> Recording:
    """Return a recording of the crane without a fault."""
    return recorded_crane(crane(), seed=seed)


def recorded_crane(robot: Robot, *, seed: int = 0, noise: float = NOISE) -> Recording:
    """Return a recording of another crane."""
    parameters = crane_parameters(robot)
    return recorded(robot.mechanism(), parameters, samples=2000, rate=RATE, noise=noise, seed=seed)


def trial_of(*recordings: Recording, robot: Robot | None = None) -> Trial:
    """Return the trial of recordings that are taken to be of the crane, or of another robot."""
    robot = robot or crane()
    signals = [preprocess(recording, robot) for recording in recordings]
    return Trial(sampled(signals, None, 4, reach=0.2), hypothesis_mechanism(robot))


def searched(
    *recordings: Recording, robot: Robot | None = None
) -> tuple[RefitOutcome, tuple[ChosenCause, ...]]:
    """Return the outcome without any change, and the steps of the search."""
    return search(trial_of(*recordings, robot=robot))


def meanings(
    *recordings: Recording, robot: Robot | None = None, names: Sequence[str] = ()
) -> list[Finding]:
    """Return the meaning of each step of the search."""
    trial = trial_of(*recordings, robot=robot)
    labels = names or [f"recording {number + 1}" for number in range(len(recordings))]
    wording = Wording(trial, JOINTS, labels, correctable=True)
    return [wording.meaning(step, step.chosen) for step in search(trial)[1]]
