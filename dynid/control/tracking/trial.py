"""The same motion of the same simulated robot, with and without the identified model's torque."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from dynid.arrays import Array
from dynid.control.build import control_model, feedforward
from dynid.control.tracking.metrics import peak_to_peak, settling_time
from dynid.control.tracking.motions import Line, Oscillation
from dynid.control.tracking.settings import LineSettings, TrackingSettings
from dynid.dynamics.kinematics import Kinematics
from dynid.errors import ConfigurationError, SimulationError
from dynid.excitation.build import build_excitation
from dynid.excitation.motion import Motion
from dynid.identification.identify import identify
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.profile import RobotProfile

_RATE = 1000.0  # control cycles per second [Hz]
_BEFORE = 1.0  # [s] at rest, after the additive torque has come
_ROUNDING = 1e-9  # [rad or m]
_AFTER = 0.2  # [s] that an oscillation is watched on


@dataclass(frozen=True, eq=False)
class Followed:
    """How a motion was followed.

    Attributes:
        error: command, as old as when it reaches the drives, minus true position of the joints
            (N, n) [rad or m].
        tool_error: distance of the tool from where it was commanded (N,) [m].
        metric: settling time [s], or peak-to-peak error [rad or m].
    """

    error: Array
    tool_error: Array
    metric: float

    @property
    def rms(self) -> Array:
        """Root mean square of each joint's error (n,)."""
        rms: Array = np.sqrt(np.mean(self.error**2, axis=0))
        return rms

    @property
    def peak(self) -> Array:
        """Largest size of each joint's error (n,)."""
        peak: Array = np.abs(self.error).max(axis=0)
        return peak


@dataclass(frozen=True, eq=False)
class Trial:
    """Both runs.

    Attributes:
        robot: name of the profile.
        joints: their names.
        prismatic: which of them slide.
        metric: what a run's ``metric`` is.
        watched: the joint whose peak-to-peak error counts, else the tool.
        time: since the beginning of the motion (N,) [s].
        duration: of the motion [s]; after it the robot is to rest.
        without: position control alone.
        with_model: the same, and the model's torque as torque offset.
    """

    robot: str
    joints: tuple[str, ...]
    prismatic: tuple[bool, ...]
    metric: Literal["settling_time", "peak_to_peak_error"]
    watched: str
    time: Array
    duration: float
    without: Followed
    with_model: Followed

    @property
    def ratio(self) -> float:
        """What is left of the metric with the model."""
        return self.with_model.metric / self.without.metric

    def errs(self, joint: int) -> bool:
        """Whether a joint has an error, but for rounding."""
        peaks = [float(run.peak[joint]) for run in (self.without, self.with_model)]
        return max(peaks) > _ROUNDING

    def as_json(self) -> dict[str, str | float]:
        """Return what ``--json`` prints; times in s, errors in rad or m."""
        return {
            "robot": self.robot,
            "metric": self.metric,
            "without": self.without.metric,
            "with": self.with_model.metric,
            "ratio": self.ratio,
        }


def identified(profile: RobotProfile, urdf_xml: str, *, seed: int = 0) -> Mechanism:
    """Return the mechanism that is identified from the simulated robot's excitation.

    Raises:
        ConfigurationError: the profile has no excitation.
        DynidError: simulation or identification fail.
    """
    if profile.excitation is None:
        message = (
            f"profile '{profile.robot}' has no excitation to identify it by; give a model.yaml "
            "with --model."
        )
        raise ConfigurationError(message)
    excitation = build_excitation(profile.excitation, profile.limits, profile.joints)
    recording = simulate(profile, urdf_xml, excitation, seed=seed)
    return identify(profile, urdf_xml, [recording]).mechanism


def track(profile: RobotProfile, urdf_xml: str, model: Mechanism, *, seed: int = 0) -> Trial:
    """Have the simulated robot follow its profile's ``tracking`` motion twice.

    Drives, bodies, friction and noise are the same; only the torque offset differs.

    Raises:
        ConfigurationError: the profile has no tracking motion, or one the robot cannot do.
        SimulationError: the drives lost the robot, or it does not settle.
    """
    settings = profile.tracking
    if settings is None:
        message = f"profile '{profile.robot}' has no motion under 'tracking' to follow."
        raise ConfigurationError(message)
    kinematics = Kinematics(profile, urdf_xml)
    if isinstance(settings, LineSettings):
        motion: Line | Oscillation = Line(settings, kinematics)
        after = settings.hold
    else:
        motion, after = Oscillation(settings, profile.joints), _AFTER
    before = _BEFORE + profile.feedforward.ramp_time
    time = np.arange(round((motion.duration + before + after) * _RATE)) / _RATE - before
    commands = motion.evaluate(time)
    _check_limits(profile, commands)
    robot = partial(SimulatedRobot, profile, urdf_xml, control_rate=_RATE, seed=seed)
    targets = Motion(*map(robot().commanded, commands))
    shown = time >= 0
    # that a command takes its time to the drives is no error of theirs
    wanted = motion.evaluate(time[shown] - _command_delay(profile)).position

    def followed(torque_offsets: Array) -> Followed:
        reached = _follow(robot(), targets.position, torque_offsets)[shown]
        tools = kinematics.tool_path(wanted) - kinematics.tool_path(reached)
        distance: Array = np.linalg.norm(tools, axis=1)
        at_rest = time[shown] >= motion.duration
        return Followed(
            wanted - reached,
            distance,
            _metric(settings, profile.joints, wanted - reached, distance[at_rest]),
        )

    without = followed(np.zeros_like(targets.position))
    if without.metric == 0:
        message = (
            "tracking: position control alone leaves nothing to improve; make the motion faster or "
            "'settle_window' smaller."
        )
        raise SimulationError(message)
    return Trial(
        robot=profile.robot,
        joints=profile.joints,
        prismatic=kinematics.mechanism.prismatic,
        metric="settling_time" if isinstance(settings, LineSettings) else "peak_to_peak_error",
        watched="tool" if isinstance(settings, LineSettings) else settings.watch,
        time=time[shown],
        duration=motion.duration,
        without=without,
        with_model=followed(_additive_torque(profile, model, targets)),
    )


def _check_limits(profile: RobotProfile, commands: Motion) -> None:
    """Refuse a motion that the robot of the profile may not make."""
    for name, joints in zip(Motion._fields, commands, strict=True):
        for number, values in enumerate(joints.T):
            allowed = profile.limits.range_of(name, number)
            if allowed is None:
                continue
            low, high = allowed
            worst = values[np.argmax(np.maximum(low - values, values - high))]
            if not low <= worst <= high:
                message = (
                    f"tracking: joint '{profile.joints[number]}' would reach the {name} "
                    f"{worst:.3g}, beyond [{low:g}, {high:g}]; make the motion slower or smaller."
                )
                raise ConfigurationError(message)


def _command_delay(profile: RobotProfile) -> float:
    """Time until a command reaches the simulated drives [s]."""
    simulation = profile.simulation or SimulationSettings()
    return simulation.command_delay / _RATE


def _additive_torque(profile: RobotProfile, model: Mechanism, targets: Motion) -> Array:
    """Return the torque offset that the control law sends with each target (N, n)."""
    additive = feedforward(profile, control_rate=_RATE)
    additive.use(control_model(profile, model))
    return additive.run(*targets)


def _follow(robot: SimulatedRobot, targets: Array, torque_offsets: Array) -> Array:
    """Return where the joints truly are after each target (N, n)."""
    robot.reset(targets[0])
    reached = np.empty_like(targets)
    for number, (target, offset) in enumerate(zip(targets, torque_offsets, strict=True)):
        robot.step(target, offset)
        reached[number] = robot.truth.position
    if robot.fault is not None:
        message = f"{robot.fault} Slow the tracking motion down."
        raise SimulationError(message)
    return reached


def _metric(
    settings: TrackingSettings, joints: tuple[str, ...], error: Array, distance_at_rest: Array
) -> float:
    if isinstance(settings, LineSettings):
        return settling_time(
            distance_at_rest, 1 / _RATE, settings.settle_window, settings.settle_time
        )
    return peak_to_peak(error[:, joints.index(settings.watch)])
