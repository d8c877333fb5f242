"""The same motion of the same simulated robot, with and without the identified model's torque."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import control_model, feedforward
from dynid.control.tracking.motions import tracking_motion
from dynid.control.tracking.settings import LineSettings, TrackingSettings, given_tracking
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, SimulationError
from dynid.excitation.motion import Motion
from dynid.identification.identify import identify
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import FeedforwardSettings
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate

_RATE = 1000.0  # control cycles per second [Hz]
_BEFORE = 1.0  # [s] at rest, after the additive torque has been ramped in
_ROUNDING = 1e-9  # [rad or m]
_AFTER = 0.2  # [s] evaluated after an oscillation


@dataclass(frozen=True, eq=False)
class TrackingRun:
    """Errors of one run of the motion.

    Attributes:
        error: command, delayed as it reaches the drives, minus true position of the joints
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
class TrackingTrial:
    """The runs without and with the model's torque.

    Attributes:
        robot: name of the profile.
        joints: their names.
        prismatic: which of them are prismatic.
        metric: kind of the runs' ``metric``.
        watched: the joint whose peak-to-peak error is measured, else the tool.
        time: since the start of the motion (N,) [s].
        duration: of the motion [s]; after it the robot is commanded to rest.
        without: position control alone.
        with_model: position control with the model's torque as torque offset.
    """

    robot: str
    joints: tuple[str, ...]
    prismatic: tuple[bool, ...]
    metric: Literal["settling_time", "peak_to_peak_error"]
    watched: str
    time: Array
    duration: float
    without: TrackingRun
    with_model: TrackingRun

    @property
    def ratio(self) -> float:
        """The metric with the model as a share of that without."""
        return self.with_model.metric / self.without.metric

    def has_error(self, joint: int) -> bool:
        """Return whether a joint has an error above rounding."""
        peaks = [float(run.peak[joint]) for run in (self.without, self.with_model)]
        return max(peaks) > _ROUNDING

    def as_json(self) -> dict[str, str | float]:
        """Return the output of ``--json``; times in s, errors in rad or m."""
        return {
            "robot": self.robot,
            "metric": self.metric,
            "without": self.without.metric,
            "with": self.with_model.metric,
            "ratio": self.ratio,
        }


def identified(robot: Robot, *, seed: int = 0) -> Mechanism:
    """Return the mechanism identified from an excitation of the simulated robot.

    Raises:
        DynidError: simulation or identification fail.
    """
    recording = simulate(robot, seed=seed)
    return identify(robot, recording).model.mechanism


def track(robot: Robot, model: Mechanism, *, seed: int = 0) -> TrackingTrial:
    """Run the profile's ``tracking`` motion twice on the simulated robot.

    Drives, bodies, friction and noise are the same; only the torque offset differs.

    Raises:
        ConfigurationError: the profile has no tracking motion, or the robot cannot make it.
        SimulationError: the drives lost the robot, or it does not settle.
    """
    settings = given_tracking(robot)
    kinematics, motion = robot.kinematics(), tracking_motion(settings, robot)
    after = settings.hold if isinstance(settings, LineSettings) else _AFTER
    before = _BEFORE + robot.settings(FeedforwardSettings).ramp_time
    time = np.arange(round((motion.duration + before + after) * _RATE)) / _RATE - before
    commands = motion.evaluate(time)
    _check_limits(robot, commands)
    simulated = partial(SimulatedRobot, robot, control_rate=_RATE, seed=seed)
    targets = Motion(*map(simulated().commanded, commands))
    shown = time >= 0
    # the delay from command to drives is not a tracking error
    wanted = motion.evaluate(time[shown] - _command_delay(robot)).position

    def followed(torque_offsets: Array) -> TrackingRun:
        reached = _follow(simulated(), targets.position, torque_offsets)[shown]
        tools = kinematics.tool_path(wanted) - kinematics.tool_path(reached)
        distance: Array = np.linalg.norm(tools, axis=1)
        at_rest = time[shown] >= motion.duration
        return TrackingRun(
            wanted - reached,
            distance,
            _metric(settings, robot.joints, wanted - reached, distance[at_rest]),
        )

    without = followed(np.zeros_like(targets.position))
    if without.metric == 0:
        raise SimulationError(
            "tracking: position control alone has no error to reduce; make the motion faster or "
            "'settle_window' smaller."
        )
    return TrackingTrial(
        robot=robot.name,
        joints=robot.joints,
        prismatic=kinematics.mechanism.prismatic,
        metric="settling_time" if isinstance(settings, LineSettings) else "peak_to_peak_error",
        watched="tool" if isinstance(settings, LineSettings) else settings.watch,
        time=time[shown],
        duration=motion.duration,
        without=without,
        with_model=followed(_additive_torque(robot, model, targets)),
    )


def _check_limits(robot: Robot, commands: Motion) -> None:
    """Refuse a motion beyond the limits of the profile."""
    for name, joints in zip(Motion._fields, commands, strict=True):
        for number, values in enumerate(joints.T):
            allowed = robot.limits.range_of(name, number)
            if allowed is None:
                continue
            low, high = allowed
            worst = values[np.argmax(np.maximum(low - values, values - high))]
            if not low <= worst <= high:
                raise ConfigurationError(
                    f"tracking: joint '{robot.joints[number]}' would reach the {name} "
                    f"{worst:.3g}, outside [{low:g}, {high:g}]; make the motion slower or smaller."
                )


def _command_delay(robot: Robot) -> float:
    """Return the time until a command reaches the simulated drives [s]."""
    simulation = robot.find(SimulationSettings) or SimulationSettings()
    return _core.delay_cycles(simulation.command_delay, _RATE) / _RATE


def _additive_torque(robot: Robot, model: Mechanism, targets: Motion) -> Array:
    """Return the torque offset that the control law sends with each target (N, n)."""
    additive = feedforward(robot, control_rate=_RATE)
    additive.use(control_model(robot, model))
    return additive.run(*targets)


def _follow(simulated: SimulatedRobot, targets: Array, torque_offsets: Array) -> Array:
    """Return the true positions of the joints after each target (N, n)."""
    simulated.reset(targets[0])
    reached = np.empty_like(targets)
    for number, (target, offset) in enumerate(zip(targets, torque_offsets, strict=True)):
        simulated.step(target, offset)
        reached[number] = simulated.truth.position
    if simulated.fault is not None:
        raise SimulationError(f"{simulated.fault} Slow the tracking motion down.")
    return reached


def _metric(
    settings: TrackingSettings, joints: tuple[str, ...], error: Array, distance_at_rest: Array
) -> float:
    if isinstance(settings, LineSettings):
        return settling_time(
            distance_at_rest, 1 / _RATE, settings.settle_window, settings.settle_time
        )
    return float(np.ptp(error[:, joints.index(settings.watch)]))


def settling_time(error: Array, step: float, window: float, hold: float) -> float:
    """Return when an error enters a window and stays there [s].

    softMC's settling (PESETTLE, TIMESETTLE), but over the whole rest of the record.

    Args:
        error: its size (N,), from the end of the commanded motion on.
        step: time between samples [s].
        window: largest size of a settled error.
        hold: shortest time for which the error must be settled [s].

    Raises:
        SimulationError: it does not settle within the record.
    """
    outside = np.flatnonzero(error > window)
    first = int(outside[-1]) + 1 if len(outside) else 0
    if (len(error) - first) * step < hold:
        raise SimulationError(
            f"tracking: the tool is {error[-1]:.3g} m from its goal at the end, outside "
            f"settle_window {window:g} m; increase 'hold' or 'settle_window'."
        )
    return first * step
