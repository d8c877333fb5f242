"""The same motion of a simulated robot with elastic joints, with rigid and elastic feedforward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import control_law_settings, control_model
from dynid.control.link_torque import by_motors
from dynid.control.tracking.motions import tracking_motion
from dynid.control.tracking.settings import given_tracking
from dynid.errors import SimulationError
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import FeedforwardSettings
from dynid.simulation.derived import simulation_settings
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.true_parameters import simulated_model

_CYCLE = 1e-3  # [s]
_REST = 0.3  # [s] before and after the motion

RUNS = {
    "rigid": np.inf,
    "elastic": 1.0,
    "stiffness 30 % too low": 0.7,
    "stiffness 30 % too high": 1.3,
}
"""Feedforward of each run, and the factor of the stiffness that it takes."""


@dataclass(frozen=True, eq=False)
class FlatnessTrial:
    """Path errors of the simulated robot.

    Attributes:
        robot: name of the profile.
        time: (N,) [s].
        tool_error: distance of the tool from the filtered path (N, runs) [m].
        joint_error: rms of each joint (runs, n) [rad or m].
        delay: of the filtered reference [s].
        limited: share of the samples (runs,) whose torque a limit of the drives bounds.
    """

    robot: str
    time: Array
    tool_error: Array
    joint_error: Array
    delay: float
    limited: Array

    @property
    def rms(self) -> Array:
        """Root mean square of the tool's error (runs,) [m]."""
        return np.asarray(np.sqrt(np.mean(self.tool_error**2, axis=0)))

    @property
    def ratios(self) -> Array:
        """The tool's error of each run as a share of that with rigid feedforward (runs,)."""
        return np.asarray(self.rms / self.rms[0])

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each run."""
        figures = zip(RUNS, self.rms.tolist(), self.ratios.tolist(), self.limited, strict=True)
        return [
            {"feedforward": name, "rms": rms, "ratio": ratio, "limited": float(limited)}
            for name, rms, ratio, limited in figures
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``; lengths in metres, times in seconds."""
        return {"robot": self.robot, "delay": self.delay, "runs": self.rows()}


def try_flatness(robot: Robot, cutoff_hz: float) -> FlatnessTrial:
    """Compare feedforwards (:func:`compare_feedforwards`) in the profile's ``tracking`` motion.

    Raises:
        ConfigurationError: the profile lacks something.
        SimulationError: the drives or the law do not follow.
    """
    motion = tracking_motion(given_tracking(robot), robot)
    time = np.arange(round((motion.duration + _REST) / _CYCLE)) * _CYCLE
    return compare_feedforwards(robot, motion.evaluate(time).position, cutoff_hz)


def compare_feedforwards(robot: Robot, motion: Array, cutoff_hz: float) -> FlatnessTrial:
    """Let the simulated robot make a motion with each feedforward.

    The control law has the simulated robot's own model, and no collision detection.

    Args:
        robot: with ``elastic``.
        motion: positions (N, n) of the joints at 1 kHz, from rest to rest [rad or m].
        cutoff_hz: of each lag of the references' filter [Hz].

    Raises:
        ConfigurationError: the profile lacks something.
        SimulationError: the drives or the law do not follow.
    """
    given = robot.settings(FeedforwardSettings).model_copy(update={"elastic_cutoff": cutoff_hz})
    robot = robot.with_settings(given)
    before = round((given.ramp_time + _REST) / _CYCLE)
    references = np.concatenate([np.repeat(motion[:1], before, axis=0), motion])
    runs = [_follow(robot, references, factor) for factor in RUNS.values()]
    path = runs[0].commanded  # a rigid law sends the filtered references
    acted = _core.delay_cycles(simulation_settings(robot).command_delay, 1 / _CYCLE)
    shown, wanted = slice(before + acted, None), slice(before, len(path) - acted)
    tool_path = robot.kinematics().tool_path
    tools = tool_path(path[wanted])
    distances = [np.linalg.norm(tool_path(run.reached[shown]) - tools, axis=1) for run in runs]
    errors = np.stack([run.reached[shown] - path[wanted] for run in runs])
    return FlatnessTrial(
        robot=robot.name,
        time=np.asarray(np.arange(len(tools)) * _CYCLE, dtype=np.float64),
        tool_error=np.stack(distances, axis=1),
        joint_error=np.sqrt(np.mean(errors**2, axis=1)),
        delay=control_law_settings(robot, control_rate=1 / _CYCLE).elastic.delay,
        limited=np.array([run.limited for run in runs]),
    )


class _Run(NamedTuple):
    """A motion: commanded positions and those of the links (N, n), share of limited samples."""

    commanded: Array
    reached: Array
    limited: float


def _follow(robot: Robot, references: Array, factor: float) -> _Run:
    """Follow references (N, n) with a law whose stiffness is wrong by a factor."""
    settings = control_law_settings(by_motors(robot), control_rate=1 / _CYCLE)
    settings.elastic.stiffness = factor * settings.elastic.stiffness
    settings.collision.torque_error_max = np.full(len(robot.joints), np.inf)
    law = _core.ControlLaw(len(robot.joints), settings)
    law.use(control_model(robot, simulated_model(robot).mechanism))
    plant = SimulatedRobot(robot, control_rate=1 / _CYCLE)
    plant.reset(references[0])
    law.start(references[0])
    rate = np.gradient(references, _CYCLE, axis=0)
    motion = zip(references, rate, np.gradient(rate, _CYCLE, axis=0), strict=True)
    factors = robot.drives.torque_factor(len(robot.joints))
    state, limited = plant.step(references[0]), 0
    commanded, reached = np.empty_like(references), np.empty_like(references)
    for number, wanted in enumerate(motion):
        feedback = _core.Feedback(state.position, state.velocity, state.effort * factors)
        law.update(_core.Reference(*wanted), feedback)
        state = plant.step(law.position_command, law.torque_offset)
        commanded[number], reached[number] = law.position_command, plant.truth.position
        limited += bool(np.any(np.abs(law.torque_offset) >= settings.feedforward.torque_max))
    if plant.fault is not None:
        raise SimulationError(plant.fault)
    if law.state != _core.LawState.following:
        reason = _core.describe_inactive_reason(
            law.inactive_reason, law.limited_drive, robot.joints
        )
        raise SimulationError(f"the control law does not follow the motion: {reason}.")
    return _Run(commanded, reached, limited / len(references))
