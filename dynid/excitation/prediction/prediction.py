"""The parameter uncertainty that an excitation leads to, predicted before it is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.checks import check_joints
from dynid.excitation.motion import Excitation, Motion
from dynid.excitation.prediction.coverage import JointCoverage, joint_coverage
from dynid.excitation.prediction.precision import (
    Precision,
    PredictedParameter,
    motion_precision,
    predicted_parameters,
    torque_noise,
)
from dynid.notebook import data_frame, html_lines, html_table
from dynid.recording.settings import RecordingSettings
from dynid.robot.limits import Limits
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals
from dynid.text import significant

if TYPE_CHECKING:
    from pandas import DataFrame

_RATE = 1000.0  # [Hz] default
_MOVING = 0.03  # of a joint's peak velocity
_TOOL_STEPS = 40  # per period of the highest frequency; a chord misses 0.1 % of the speed
_MOST_TOOL_STEPS = 4000


@dataclass(frozen=True)
class JointTorque:
    """Predicted torque of a joint [N m or N]; ``share``: peak over torque_max, None without one."""

    peak: float
    rms: float
    share: float | None
    noise: float


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted uncertainty and loads of an excitation.

    Attributes:
        robot: with its limits and settings.
        prismatic: (n,) whether a joint is prismatic.
        limits: the robot's.
        mechanism: with the parameters that predict torque.
        signals: motion and predicted torque, as in a recording without errors.
        precision: condition numbers, covariance.
        parameters: the base parameters.
        coverage, torques: of each joint.
        tool_speed: largest speed of the tool point [m/s].
        tool_box: (2, 3) its lowest and highest coordinates in the root frame [m].
        tool: link whose origin is the tool point; None for the last one.
        assumptions: sentences.
    """

    robot: Robot
    prismatic: tuple[bool, ...]
    limits: Limits
    mechanism: Mechanism
    signals: Signals
    precision: Precision
    parameters: tuple[PredictedParameter, ...]
    coverage: tuple[JointCoverage, ...]
    torques: tuple[JointTorque, ...]
    tool_speed: float
    tool_box: Array
    tool: str | None
    assumptions: tuple[str, ...]

    def to_frame(self) -> DataFrame:
        """Return the base parameters and their uncertainty as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = [field.name for field in fields(PredictedParameter)]
        return data_frame(
            {name: [getattr(parameter, name) for parameter in self.parameters] for name in names}
        )

    def __repr__(self) -> str:
        """Return robot, duration, condition number, and the number of determined parameters."""
        determined = sum(parameter.determined for parameter in self.parameters)
        return (
            f"Prediction for {self.robot.name}: {self.duration:.4g} s, condition number "
            f"{self.precision.scaled_condition_number:.3g}, {determined} of "
            f"{len(self.parameters)} base parameters determined"
        )

    def _repr_html_(self) -> str:
        """Return the same, and the base parameters with their uncertainty, for a notebook."""
        rows = [
            (
                parameter.name,
                significant(parameter.value),
                f"± {significant(parameter.standard_deviation, 2)}",
                parameter.unit,
            )
            for parameter in self.parameters
        ]
        header = ("base parameter", "value", "standard deviation", "unit")
        return html_lines([repr(self)]) + html_table(header, rows)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in drive order."""
        return self.signals.joint_names

    @property
    def duration(self) -> float:
        """From rest to rest [s]."""
        return float(self.signals.time[-1])


def predict(
    model: Model,
    excitation: Excitation,
    *,
    sampling_rate: float | None = None,
    noise: Sequence[float] | None = None,
    stated_noise: Array | None = None,
    tool: str | None = None,
) -> Prediction:
    """Predict the parameter uncertainty of an identification from one playback of an excitation.

    Args:
        model: of the robot, identified or not.
        excitation: the motion.
        sampling_rate: of the recording [Hz]; None: the profile's, or 1 kHz.
        noise: standard deviation of measured torque, one for each joint or one for all [N m or N];
            None: see :func:`dynid.excitation.prediction.precision.torque_noise`.
        stated_noise: (n,) of the robot's drives, 0 where unknown; see there.
        tool: link whose origin is the tool point; None for the last one.

    Raises:
        DynidError: the excitation is for another robot, a closed chain cannot follow it, or an
            argument is invalid.
    """
    robot, mechanism = model.robot, model.mechanism
    check_joints(excitation, robot)
    rate = _checked_rate(sampling_rate, robot)
    signals = predicted_signals(excitation, mechanism, rate)
    torque_error = torque_noise(robot, mechanism, signals.torque, noise, stated=stated_noise)
    base = base_parameterization(mechanism)
    motion = Motion(*signals.motion)
    precision = motion_precision(mechanism, base, motion, torque_error.standard_deviation)
    path, speed = _tool_path(robot.kinematics(tool=tool), excitation)
    return Prediction(
        robot=robot,
        prismatic=mechanism.prismatic,
        limits=robot.limits,
        mechanism=mechanism,
        signals=signals,
        precision=precision,
        parameters=predicted_parameters(
            base, precision, mechanism.parameters, torque_error.standard_deviation, _between(model)
        ),
        coverage=joint_coverage(signals, robot.limits),
        torques=_torques(signals, robot.limits, torque_error.standard_deviation),
        tool_speed=speed,
        tool_box=np.array([path.min(axis=0), path.max(axis=0)]),
        tool=tool,
        assumptions=(
            torque_error.source,
            _white(signals),
            *_without_friction(mechanism),
            *_other_days(model),
        ),
    )


def _checked_rate(given: float | None, robot: Robot) -> float:
    """Return the given sampling rate, or that of the profile, or 1 kHz [Hz]."""
    if given is None:
        return robot.settings(RecordingSettings).sampling_rate or _RATE
    if not given > 0:
        raise ConfigurationError(f"sampling_rate: is {given:g} Hz, expected more than 0.")
    return given


def predicted_signals(excitation: Excitation, mechanism: Mechanism, rate: float) -> Signals:
    """Return motion and torque at ``rate`` [Hz], as in a recording without errors.

    Joints count as moving above 3 % of their peak velocity.
    """
    time = np.arange(round(excitation.duration * rate) + 1) / rate
    motion = excitation.evaluate(time)
    torque = mechanism.torque(*motion, mechanism.parameters)
    speed = np.abs(motion.velocity)
    threshold = _MOVING * speed.max(axis=0)
    return Signals(
        joint_names=mechanism.joints,
        time=time,
        position=motion.position,
        velocity=motion.velocity,
        acceleration=motion.acceleration,
        torque=torque,
        raw_position=motion.position,
        raw_torque=torque,
        moving=speed > threshold,
        velocity_threshold=threshold,
        torque_per_effort=np.ones(len(mechanism.joints)),
        effort_unit="N*m",
        sampling_rate=rate,
    )


def _torques(signals: Signals, limits: Limits, noise: Array) -> tuple[JointTorque, ...]:
    joints = len(signals.joint_names)
    peak = np.max(np.abs(signals.torque), axis=0)
    rms = np.sqrt(np.mean(signals.torque**2, axis=0))
    shares: list[float | None] = [None] * joints
    if limits.torque_max is not None:
        shares = (peak / per_joint(limits.torque_max, joints, "torque_max")).tolist()
    return tuple(
        JointTorque(float(peak[j]), float(rms[j]), shares[j], float(noise[j]))
        for j in range(joints)
    )


def _tool_path(kinematics: Kinematics, excitation: Excitation) -> tuple[Array, float]:
    """Return the path of the tool point (M, 3) [m], and its largest speed [m/s]."""
    wanted = _TOOL_STEPS * excitation.highest_frequency * excitation.duration
    steps = int(np.clip(wanted, 200, _MOST_TOOL_STEPS))
    time = np.linspace(0.0, excitation.duration, steps + 1)
    path = kinematics.tool_path(excitation.evaluate(time).position)
    chords = np.linalg.norm(np.diff(path, axis=0), axis=1)
    return path, float(chords.max() / time[1])


def _white(signals: Signals) -> str:
    return (
        "Condition numbers are those of the base regressor, with the joint terms and without: in "
        "SI units without scaling, and with rows divided by their noise and columns of unit norm. "
        f"All {len(signals.time)} samples at {signals.sampling_rate:g} Hz are used, and torque "
        "errors are assumed to be white noise; if they are correlated over c samples, standard "
        "deviations are √c times larger. Errors of the model are not included."
    )


def _between(model: Model) -> Array:
    """Relative standard deviation of the parameters (p,) between two recordings."""
    mechanism = model.mechanism
    terms = [term.traits.dissipative for term in mechanism.terms]
    friction = np.array([False] * mechanism.first_term + terms)
    return model.base.friction_repeatability * friction


def _other_days(model: Model) -> tuple[str, ...]:
    share = model.base.friction_repeatability
    if not share:
        return ()
    return (
        f"Standard deviations of friction include that it differs by {100 * share:.2g} % between "
        "two recordings, as the model states.",
    )


def _without_friction(mechanism: Mechanism) -> tuple[str, ...]:
    from_urdf = np.array_equal(mechanism.parameters, mechanism.urdf_parameters)
    if not from_urdf or not mechanism.terms:
        return ()
    return (
        "Torque is that of the URDF's bodies, without friction and rotor inertia: the drives will "
        "need more.",
    )
