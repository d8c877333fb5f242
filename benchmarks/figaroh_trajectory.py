"""Optimal trajectories of FIGAROH for a robot of dynid, by its own classes and IPOPT.

Its ``BaseOptimalTrajectory`` minimises the condition number of its base regressor over the
waypoints of splines that rest at each of them, within limits of position, velocity and torque (it
has none of acceleration), and starts from random waypoints. It needs ``cyipopt``. The robot has no
geometry, so that nothing is checked for collisions.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import yaml
from figaroh.optimal.base_optimal_trajectory import (
    BaseOptimalTrajectory,
    BaseTrajectoryIPOPTProblem,
)
from figaroh.tools.load_robot import load_robot
from threadpoolctl import threadpool_limits

from dynid.excitation.motion import Motion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.arrays import Array
    from dynid.robot.robot import Robot


_RESULTS = ("T_F", "P_F", "V_F", "A_F", "iteration_data")


class SplineSettings(NamedTuple):
    """Settings of a trajectory.

    Attributes:
        waypoints: how many.
        between: time from one to the next [s], whole samples.
        frequency: of the samples at which it evaluates objective and limits [Hz].
        soft_limit: share of a limit's range that is kept free at both ends of it.
        iterations: of IPOPT, at most.
        attempts: to find random waypoints within the limits, at most.
    """

    waypoints: int
    between: float
    frequency: int
    soft_limit: float
    iterations: int
    attempts: int


class Request(NamedTuple):
    """A robot, its limits (n,) each [rad, rad/s, N m], and what its trajectory identifies.

    Attributes:
        robot: the robot.
        low: lowest position.
        high: highest position.
        velocity: largest velocity.
        torque: largest torque.
        terms: friction, rotor inertia and offset of every joint as well as the bodies.
    """

    robot: Robot
    low: Array
    high: Array
    velocity: Array
    torque: Array
    terms: bool


class Trajectory(NamedTuple):
    """A trajectory from one start: motion (N, n), and the condition number that FIGAROH gives."""

    motion: Motion
    condition_number: float


class _Optimiser(BaseOptimalTrajectory):  # type: ignore[misc]
    def create_ipopt_problem(self, *given: object) -> BaseTrajectoryIPOPTProblem:
        return BaseTrajectoryIPOPTProblem(self, *given)


def trajectories(
    request: Request, settings: SplineSettings, starts: int, rate: float
) -> list[Trajectory]:
    """Return the trajectories of those starts that succeed.

    Args:
        request: robot, limits, and what is to be identified.
        settings: of FIGAROH.
        starts: how many, each with its number as seed.
        rate: of the returned samples [Hz].
    """
    found = []
    logging.getLogger("figaroh").setLevel(logging.CRITICAL)  # failures are counted
    # one BLAS thread, as in dynid's search: more only wait for each other
    with _no_output(), threadpool_limits(1, user_api="blas"):
        np.random.seed(0)  # noqa: NPY002 -- FIGAROH draws from numpy's global generator
        optimiser = _optimiser(request, settings)
        optimiser.initialize()
        for start in range(starts):
            np.random.seed(start)  # noqa: NPY002
            optimiser.results = {key: [] for key in _RESULTS}
            results = optimiser.solve(stack_reps=1)
            if results["T_F"]:
                motion = _sampled(optimiser, settings, rate)
                found.append(Trajectory(motion, results["iteration_data"][0]["obj_values"][-1]))
    return found


def _optimiser(request: Request, settings: SplineSettings) -> _Optimiser:
    robot, joints = request.robot, list(request.robot.joints)
    components = dict.fromkeys(("friction", "joint_offset", "actuator_inertia"), request.terms)
    tasks = {
        "identification": {
            "joints": {"active_joints": joints},
            "problem": {"model_components": components},
        },
        "optimal_trajectory": {
            "problem": {
                "soft_lim": settings.soft_limit,
                "max_attempts": settings.attempts,
                "max_iterations": settings.iterations,
            },
            "trajectory": {
                "waypoints": settings.waypoints,
                "frequency": settings.frequency,
                "segment_duration": settings.between,
            },
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        urdf, file = Path(folder, "robot.urdf"), Path(folder, "settings.yaml")
        urdf.write_text(robot.urdf_xml, "utf-8")
        file.write_text(yaml.safe_dump({"robot": {"name": robot.name}, "tasks": tasks}), "utf-8")
        loaded = load_robot(str(urdf), package_dirs=folder)
        optimiser = _Optimiser(loaded, joints, str(file))
    active = list(range(len(joints)))
    optimiser.identif_config.update(act_idxq=active, act_idxv=active)  # left to subclasses
    model = loaded.model
    model.lowerPositionLimit[:], model.upperPositionLimit[:] = request.low, request.high
    model.velocityLimit[:], model.effortLimit[:] = request.velocity, request.torque
    return optimiser


def _sampled(optimiser: _Optimiser, settings: SplineSettings, rate: float) -> Motion:
    """Return the trajectory among the optimiser's results at another rate [Hz]."""
    step = round(settings.frequency * settings.between)
    times, points = optimiser.results["T_F"][0][::step], optimiser.results["P_F"][0][::step].T
    rest = np.zeros_like(points)
    return Motion(*optimiser.CB.get_full_config(rate, times, points, rest, rest)[1:])


@contextlib.contextmanager
def _no_output() -> Iterator[None]:
    """Discard standard output, IPOPT's as well, which does not go through Python."""
    output = os.dup(1)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(output, 1)
            os.close(output)
