"""An identification from given numbers: fast, and all its values can be checked."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timezone

import numpy as np
import pytest
from support.browser import browser, visit  # noqa: F401  fixtures

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.joint_errors import JointErrors, JointUse
from dynid.evaluation.verdict import Verdict
from dynid.identification.result import BaseParameter, Identification, StandardParameter
from dynid.profile import make_robot
from dynid.recording.model import Source
from dynid.robot.model import Model
from dynid.robot.provenance import BaseEstimate, ModelErrors, Provenance
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals

URDF = """<?xml version="1.0"?>
<!-- Licence of the description: none -->
<robot name="arm" xmlns:xacro="somewhere">
  <material name="blå"><color rgba="0 0 1 1"/></material>
  <link name="base"><inertial><mass value="9"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="upper">
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <inertial><origin xyz="0.1 0.02 0.3" rpy="0.1 0.2 0.3"/><mass value="4"/>
      <inertia ixx="0.2" ixy="0.01" ixz="0.02" iyy="0.3" iyz="0.03" izz="0.25"/></inertial>
  </link>
  <link name="motor"><inertial><origin xyz="0 0.1 0"/><mass value="1.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
    <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.03"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <link name="finger"><inertial><origin xyz="0.01 0 0.02"/><mass value="0.3"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.002"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.4"/><parent link="base"/>
    <child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="2" effort="100"/><dynamics damping="7"/></joint>
  <joint name="bolt" type="fixed"><origin xyz="0 0.3 0" rpy="0.5 0 0"/><parent link="upper"/>
    <child link="motor"/></joint>
  <joint name="elbow &amp; co" type="continuous"><origin xyz="0.5 0 0" rpy="0 0.3 0"/>
    <parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/></joint>
  <joint name="lift" type="prismatic"><origin xyz="0.4 0 0"/><parent link="fore"/>
    <child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="100"/></joint>
  <joint name="grip" type="revolute"><origin xyz="0 0 0.1"/><parent link="slide"/>
    <child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="5"/></joint>
  <joint name="end" type="fixed"><parent link="finger"/><child link="tip"/></joint>
  <transmission name="t"><joint name="shoulder"/></transmission>
</robot>
"""

JOINTS = ("shoulder", "elbow & co", "lift")


def a_robot(**changes) -> Robot:
    content = {
        "robot": "arm",
        "urdf": "arm.urdf",
        "joints": list(JOINTS),
        "locked": {"grip": 0.4},
        "coupling": [[1, 0, 0], [0.25, 1, 0], [0, 0, 1]],
        "limits": {"position": [[-3, 3], [-3, 3], [-1, 1]], "velocity": 2.0},
        "terms": [
            {"kind": "viscous"},
            {"kind": "coulomb", "smoothing": 0.01},
            {"kind": "offset"},
            {"kind": "rotor_inertia", "side": "motor", "joints": ["elbow & co"]},
            {"kind": "stribeck", "joints": ["shoulder"], "scale": 0.2},
            {"kind": "presliding", "joints": ["shoulder"], "scale": 0.01},
            {"kind": "presliding", "joints": ["shoulder"], "scale": 0.05},
        ],
    }
    return make_robot({**content, **changes}, URDF)


def an_identification(samples: int = 400, recordings: int = 2) -> Identification:
    robot = a_robot()
    mechanism = robot.mechanism()
    parameters = mechanism.urdf_parameters * 1.1
    parameters[30:] = np.linspace(0.5, 3.0, len(parameters) - 30)
    mechanism = mechanism.with_parameters(parameters)
    signals, torques = [], []
    for number in range(recordings):
        signal, torque = _signals(mechanism, samples, number)
        signals.append(signal)
        torques.append(torque)
    verdict = Verdict(
        joints=tuple(_joint(name, number) for number, name in enumerate(JOINTS)),
        success=True,
        reasons=(),
        warnings=("joint 'lift': residuals are not white\n# nor is this a line",),
    )
    held_out = HeldOut(5, (1.0, 2.0, 3.0), (0.06, 0.07, 0.08))
    standard = _standard(mechanism)
    provenance = Provenance(
        status="success",
        created=datetime(2026, 1, 31, 12, 0, 5, tzinfo=timezone.utc),
        estimator="wls",
        physically_consistent=True,
        cutoff_hz=10.0,
        raw_samples=samples * recordings + 7,
        samples=samples * recordings,
        condition_number=42.5,
        base_parameter_count=3,
        criterion="held_out",
        allowed_error=0.5,
        warnings=verdict.warnings,
        sources=(
            Source("first.mcap", "ab" * 32, "rosbag2 mcap", "/joint_states", 123),
            Source('se"cond <b>.csv', "0" * 64, "csv"),
        ),
        versions={"dynid": "0.1.0", "numpy": "2.0"},
    )
    model = Model(
        robot=robot,
        mechanism=mechanism,
        base=_base_estimate(),
        provenance=provenance,
        errors=_model_errors(verdict, held_out),
        determined=tuple(one.determined for one in standard),
        source=Source(name="arm", sha256="", kind="model"),
    )
    return Identification(
        model=model,
        signals=tuple(signals),
        measured_torque=tuple(s.torque for s in signals),
        model_torque=tuple(torques),
        parameters=standard,
        base_parameters=_base(),
        consistency_price=None,
        verdict=verdict,
        held_out=held_out,
        notes=("3 samples were dropped.",),
    )


def _signals(mechanism, samples: int, number: int) -> tuple[Signals, np.ndarray]:
    rng = np.random.default_rng(number)
    time = np.arange(samples) / 100.0
    frequency = 2 * np.pi * np.array([0.2, 0.5, 0.9])
    amplitude = np.array([1.5, 1.0, 0.3])
    phase = np.outer(time, frequency) + number
    position = amplitude * np.sin(phase)
    velocity = amplitude * frequency * np.cos(phase)
    acceleration = -amplitude * frequency**2 * np.sin(phase)
    model = mechanism.torque(position, velocity, acceleration, mechanism.parameters)
    noise = 0.05 * model.std(axis=0) * rng.normal(size=model.shape)
    signals = Signals(
        joint_names=JOINTS,
        time=time,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        torque=model + noise,
        raw_position=position + 1e-4 * rng.normal(size=model.shape),
        raw_torque=model + 2 * noise,
        moving=np.abs(velocity) > 0.02,
        velocity_threshold=np.full(3, 0.02),
        torque_per_effort=np.array([10.0, 10.0, 20.0]),
        effort_unit="A",
        sampling_rate=100.0,
        notes=("3 samples were dropped.",),
    )
    return signals, model


def _standard(mechanism) -> tuple[StandardParameter, ...]:
    rows = zip(
        mechanism.parameter_names,
        mechanism.parameters,
        mechanism.parameter_units,
        mechanism.urdf_parameters,
        strict=True,
    )
    return tuple(
        StandardParameter(name, float(value), unit, float(urdf), name != "M1")
        for name, value, unit, urdf in rows
    )


def _base() -> tuple[BaseParameter, ...]:
    nan = float("nan")
    return (
        BaseParameter(
            "ZZ1R", "ZZ1R = ZZ1 + XX2 + 0.25 M3", 1.25, 1.26, "kg*m^2", 0.01, 0.008, True, True
        ),
        BaseParameter("MX2R", "MX2R = MX2 + 0.4 M3", 0.5, 0.4, "kg*m", 0.1, 0.2, False, True),
        BaseParameter("Fv1", "Fv1", nan, 0.5, "N*m*s/rad", nan, nan, False, False),
    )


def _base_estimate() -> BaseEstimate:
    known = [one for one in _base() if one.determined]
    deviations = np.array([one.standard_deviation for one in known])
    return BaseEstimate(
        names=tuple(one.name for one in known),
        regroupings=tuple(one.regrouping for one in known),
        values=np.array([one.value for one in known]),
        consistent_values=np.array([one.consistent_value for one in known]),
        standard_deviations=deviations,
        covariance=np.diag(deviations**2),
    )


def _model_errors(verdict: Verdict, held_out: HeldOut) -> ModelErrors:
    names = {field.name for field in fields(ModelErrors)} - {"held_out_relative_error"}
    columns = {name: tuple(getattr(joint, name) for joint in verdict.joints) for name in names}
    return ModelErrors(**columns, held_out_relative_error=held_out.relative_error)


def _joint(name: str, number: int) -> JointErrors:
    return JointErrors(
        joint=name,
        unit="A",
        rmse=0.1 * (number + 1),
        rmse_torque=1.0 * (number + 1),
        rmse_raw=1.5 * (number + 1),
        nrmse=0.02,
        relative_error=0.05,
        r_squared=0.99 if number else float("nan"),
        max_relative_torque_error=0.1386,
        mean_relative_torque_error=0.0318,
        samples=800,
        moving_samples=700 + number,
        velocity_threshold=0.02,
        held_out_error=0.06 + 0.01 * number,
        noise_share=0.001,
        unexplained_error=0.06 + 0.01 * number,
        feedforward=True,
        collision=number < 2,
        uses=(
            JointUse("feedforward", True, 0.06, 0.35, "leaves 6.00 % of the torque"),
            JointUse("collision", number < 2, 0.2, 0.25, "detects more than 3 N·m"),
        ),
    )


@pytest.fixture(scope="session")
def identification() -> Identification:
    return an_identification()


@pytest.fixture(scope="session")
def failed(identification) -> Identification:
    verdict = replace(
        identification.verdict,
        success=False,
        reasons=("joint 'lift': max relative torque error 61 % is above 50 %.",),
    )
    model = identification.model
    provenance = replace(model.provenance, status="failed", reasons=verdict.reasons)
    return replace(identification, verdict=verdict, model=replace(model, provenance=provenance))


@pytest.fixture(scope="session")
def make_identification():
    return an_identification
