"""Small robots with known parameters, and synthetic recordings of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import build_problem
from dynid.estimation.regression import Problem
from dynid.identification.settings import IdentificationSettings
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

ARM_URDF = """
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="4.0"/><origin xyz="0.15 0.01 0.02"/>
    <inertia ixx="0.02" iyy="0.06" izz="0.06" ixy="0.001" ixz="0.002" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="2.0"/><origin xyz="0.12 -0.01 0.01"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0.0005" iyz="0.0002"/></inertial></link>
  <link name="hand"><inertial><mass value="0.8"/><origin xyz="0.02 0.03 0.05"/>
    <inertia ixx="0.003" iyy="0.003" izz="0.002" ixy="0.0001" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.3 0 0.05"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="100"/></joint>
  <joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/>
    <origin xyz="0.25 0 0" rpy="0 1.5708 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
</robot>
"""

ARM_FRICTION = {"Fv": (3.0, 1.5, 0.3), "Fc": (4.0, 2.0, 0.5), "Off": (0.3, -0.2, 0.1)}


def arm_robot(**changes: object) -> Robot:
    """Return a three-joint arm whose wrist axis crosses the elbow's, with plain friction."""
    content: dict[str, object] = {
        "robot": "arm",
        "urdf": "arm.urdf",
        "joints": ["shoulder", "elbow", "wrist"],
        "terms": [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}],
        "identification": {"cutoff_hz": None, "trim_rest": False},
    }
    return make_robot(content | changes, ARM_URDF)


def true_parameters(mechanism: Mechanism) -> np.ndarray:
    """Return the URDF's bodies, and the friction of ``ARM_FRICTION`` where the terms are there."""
    parameters = mechanism.urdf_parameters.copy()
    for prefix, values in ARM_FRICTION.items():
        for joint, value in enumerate(values, start=1):
            if f"{prefix}{joint}" in mechanism.parameter_names:
                parameters[mechanism.parameter_names.index(f"{prefix}{joint}")] = value
    return parameters


def swinging(
    samples: int, joints: int, rate: float, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, dq and ddq, (samples, joints), of a random sum of five sines below 1 Hz."""
    random = np.random.default_rng(seed)
    time = np.arange(samples)[:, None, None] / rate
    omega = 2 * np.pi * random.uniform(0.1, 1.0, (1, joints, 5))
    amplitude = random.uniform(0.5, 1.0, (1, joints, 5)) / omega
    phase = omega * time + random.uniform(0, 2 * np.pi, (1, joints, 5))
    q = (amplitude * np.sin(phase)).sum(axis=2)
    dq = (amplitude * omega * np.cos(phase)).sum(axis=2)
    ddq = -(amplitude * omega**2 * np.sin(phase)).sum(axis=2)
    return q, dq, ddq


def recorded(
    mechanism: Mechanism,
    parameters: np.ndarray,
    *,
    samples: int = 4000,
    rate: float = 200.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Recording:
    """Return a recording of a swinging robot by ideal sensors with white torque noise [N m]."""
    q, dq, ddq = swinging(samples, len(mechanism.joints), rate, seed)
    torque = mechanism.with_parameters(parameters).torque(q, dq, ddq, parameters)
    torque += noise * np.random.default_rng(seed + 1).standard_normal(torque.shape)
    return Recording(
        time=np.arange(samples) / rate,
        position=q,
        velocity=dq,
        effort=torque,
        joint_names=mechanism.joints,
        sampling_rate=rate,
    )


def arm_recording(**more: Any) -> Recording:
    """Return a recording of ``arm_robot`` with its true parameters, as by :func:`recorded`."""
    mechanism = arm_robot().mechanism()
    return recorded(mechanism, true_parameters(mechanism), **more)


def problem_of(robot: Robot, *recordings: Recording) -> Problem:
    """Return the regression problem of recordings with a robot's settings."""
    mechanism = robot.mechanism()
    signals = [preprocess(one, robot) for one in recordings]
    settings = robot.settings(IdentificationSettings)
    return build_problem(mechanism, base_parameterization(mechanism), signals, settings)
