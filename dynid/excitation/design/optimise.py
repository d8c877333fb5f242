"""The most informative excitation of a robot, proven to be within the limits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import check_coefficients
from dynid.excitation.checks import check_motion, sliding_joints
from dynid.excitation.design.design import Design, ExcitationSpec
from dynid.excitation.design.interior_point import STEPS
from dynid.excitation.design.worker import ExcitationProblem, Step, descend, workers
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limits import check_duration, check_limits, check_rest
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.settings import SignalSettings

_FEWEST_HARMONICS, _MOST_HARMONICS = 5, 12
"""Proposed numbers of harmonics: fewer allow little choice, more improve the result little."""

_BELOW_CUTOFF = 4.0
"""Cut-off frequency of the identification over the highest harmonic, so that it passes."""

_HIGHEST_FREQUENCY = 2.5  # [Hz] without a cut-off: position control follows well up to there
_NO_CUTOFF = 10.0  # [Hz] in place of a cut-off: above, position control does not follow
_PERIOD = 10.0  # [s] default


def propose_series(
    robot: Robot,
    *,
    duration: float | None = None,
    periods: int | None = None,
    harmonics: int | None = None,
) -> FourierSettings:
    """Return settings for an optimised series; arguments that are None are proposed.

    Duration, periods, margin, centre and span are the profile's where it has an excitation of type
    fourier. The highest harmonic is where a joint needs all of its velocity and acceleration at
    once, f = a / (2 π v) (above it, the acceleration limit allows less and less velocity), and well
    below the identification's cut-off.

    Args:
        robot: with its limits and settings.
        duration: of the whole motion [s].
        periods: how often the series is repeated.
        harmonics: of the series, 3 or more.

    Raises:
        ConfigurationError: too few harmonics to start and end at rest, or the highest is above the
            identification's cut-off.
    """
    if harmonics is not None and harmonics < 3:
        message = f"harmonics {harmonics}: a series that starts and ends at rest needs 3 or more."
        raise ConfigurationError(message)
    excitation = find_excitation(robot)
    settings = excitation if isinstance(excitation, FourierSettings) else None
    times = periods or (settings.periods if settings else 1)
    if duration is not None:
        period = duration / times
    else:
        period = 1 / settings.base_frequency if settings else _PERIOD
    check_duration(times * period)
    proposed = int(np.clip(_highest(robot) * period, _FEWEST_HARMONICS, _MOST_HARMONICS))
    chosen = harmonics or proposed
    check_coefficients(chosen, len(robot.joints))
    cutoff = robot.settings(SignalSettings).motion_cutoff_hz or _NO_CUTOFF
    if chosen / period > cutoff:
        raise ConfigurationError(
            f"{chosen} harmonics of a series of {period:.4g} s go up to {chosen / period:.4g} Hz, "
            f"above the cut-off frequency {cutoff:g} Hz of the identification; give a duration of "
            f"{times * chosen / cutoff:.4g} s or more, or fewer harmonics."
        )
    return FourierSettings(
        base_frequency=1 / period,
        harmonics=chosen,
        periods=times,
        ramp=0.0,
        margin=settings.margin if settings else 0.9,
        centre=settings.centre if settings else None,
        span=settings.span if settings else None,
    )


def _highest(robot: Robot) -> float:
    """Return the highest useful frequency [Hz]."""
    cutoff = robot.settings(SignalSettings).motion_cutoff_hz
    highest = _HIGHEST_FREQUENCY if cutoff is None else cutoff / _BELOW_CUTOFF
    limits, joints = robot.limits, len(robot.joints)
    if limits.velocity is None or limits.acceleration is None:
        return highest
    velocity = per_joint(limits.velocity, joints, "velocity")
    acceleration = per_joint(limits.acceleration, joints, "acceleration")
    return min(highest, float(np.max(acceleration / velocity)) / (2 * np.pi))


_SHRINKAGE = 0.995  # if the motion exceeds a limit between the samples of the search
_SMALLEST_SIZE = 0.2  # share of a motion below which shrinking stops with an error


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best excitation that was found, proven to be within every limit.

    Attributes:
        settings: describe the excitation, for a file.
        excitation: the motion.
        condition_number: of the base regressor used in the design.
        objectives: result of each start; smaller is better, NaN is no result.
        size: factor applied to the best motion so that limits are also kept between samples.
        interrupted: the search was stopped before its end.
    """

    settings: FourierSettings
    excitation: FourierExcitation
    condition_number: float
    objectives: tuple[float, ...]
    size: float
    interrupted: bool


def optimise(
    model: Model,
    spec: ExcitationSpec,
    torque_noise: Array,
    *,
    starts: int = 4,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Optimum:
    """Search for the most informative excitation of a robot's base parameters within its limits.

    The result depends on the arguments only, not on ``jobs``. A KeyboardInterrupt ends the search
    with the best motion so far.

    Args:
        model: of the robot, with the parameters that predict torque.
        spec: the specification of the excitation.
        torque_noise: standard deviation of each joint's measured torque (n,) [N m or N].
        starts: number of random initial motions.
        seed: of these.
        jobs: processes; None: one for each processor, but no more than starts.
        progress: called with the completed share of the search, from 0 to 1, and with 1 before the
            proof; a KeyboardInterrupt after that is raised.

    Raises:
        DynidError: the robot has no room to move, settings do not match, or the search was
            interrupted before it found a motion.
    """
    # matrices here are about 100 wide: more threads only slow each other down
    with threadpool_limits(1, user_api="blas"):
        problem = ExcitationProblem(model, spec, torque_noise, seed)
        design = problem.design()  # raises errors here, not in a worker
        processes = min(starts, jobs or processors())
        found, interrupted = search(
            design, problem, starts, processes if processes > 1 else 0, progress
        )
        if not found:
            raise ExcitationError(
                "excitation: the search was stopped before it found a motion within all limits; "
                "let it run longer."
            )
        objectives = {one.start: design.descent(one.pose).objective(one.y) for one in found}
        best = min(found, key=lambda one: (objectives[one.start], one.start))
        excitation, size = _proven(design, model.robot, best)
        return Optimum(
            settings=_described(spec.settings, excitation),
            excitation=excitation,
            condition_number=design.condition_number(excitation),
            objectives=tuple(objectives.get(number, np.nan) for number in range(starts)),
            size=size,
            interrupted=interrupted,
        )


def _proven(design: Design, robot: Robot, best: Step) -> tuple[FourierExcitation, float]:
    """Return the motion, scaled down if needed, and its scale factor."""
    space = design.descent(best.pose).barrier.space
    mechanism, periods = design.mechanism, design.settings.periods
    sliding, size = sliding_joints(mechanism), 1.0
    while True:
        excitation = space.excitation(size * best.y, periods)
        try:
            check_rest(excitation, robot.joints)
            check_limits(
                excitation,
                robot.limits,
                robot.joints,
                margin=design.settings.margin,
                prismatic=sliding,
            )
            check_motion(excitation, robot.limits, mechanism, design.workspace)
        except ExcitationError:
            if size * _SHRINKAGE < _SMALLEST_SIZE:
                raise
            size *= _SHRINKAGE
        else:
            return excitation, size


def _described(settings: FourierSettings, excitation: FourierExcitation) -> FourierSettings:
    return FourierSettings(
        base_frequency=excitation.base_frequency,
        harmonics=settings.harmonics,
        periods=settings.periods,
        ramp=0.0,
        margin=settings.margin,
        centre=tuple(excitation.centre.tolist()),
        sine=tuple(tuple(row) for row in excitation.sine.tolist()),
        cosine=tuple(tuple(row) for row in excitation.cosine.tolist()),
    )


class Search(NamedTuple):
    """The best step of each start that has one, and whether the search was interrupted."""

    found: tuple[Step, ...]
    interrupted: bool


def search(
    design: Design,
    problem: ExcitationProblem,
    starts: int,
    processes: int,
    progress: Callable[[float], None],
) -> Search:
    """Search from each start; a KeyboardInterrupt ends it.

    Starts that no process completes, because it was killed or had an error, are repeated here, so
    that the result is the same for any number of processes.

    Args:
        design: the problem in the form that is searched.
        problem: the same for other processes, with the seed of the random motions to begin from.
        starts: how many.
        processes: that search; 0: all starts are searched here, one after the other.
        progress: called with the completed share of all work, from 0 to 1.
    """
    descents = _Descents(starts, progress)
    try:
        with workers(min(processes, starts), problem) as connections:
            descents.distribute(connections)
        descents.complete(design, problem.seed)
        progress(1.0)
    except KeyboardInterrupt:
        return Search(descents.found(), interrupted=True)
    return Search(descents.found(), interrupted=False)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class _Descents:
    """Progress and results of the descents from all starts."""

    def __init__(self, starts: int, progress: Callable[[float], None]) -> None:
        self._best: dict[int, Step] = {}
        self._behind = [0] * starts  # completed steps of each; STEPS means complete
        self._progress = progress

    def found(self) -> tuple[Step, ...]:
        """Return the best motion of each start that has one, in the order of their numbers."""
        return tuple(self._best[number] for number in sorted(self._best))

    def left(self) -> list[int]:
        """Return the numbers of the starts that are not complete."""
        return [number for number, behind in enumerate(self._behind) if behind < STEPS]

    def complete(self, design: Design, seed: int) -> None:
        """Run here the descents of all starts that are not complete."""
        # as in a worker: more BLAS threads change the order of additions, and so the steps
        with threadpool_limits(1, user_api="blas"):
            for number in self.left():
                for step in descend(design, number, seed):
                    self._keep(step)
                    self._report()
                self._behind[number] = STEPS

    def distribute(self, connections: list[Connection]) -> None:
        """Give each worker one start after the other, while there are starts and workers."""
        starts, working = iter(self.left()), list(connections)
        while working:
            ready = wait(working)
            for worker in [worker for worker in working if worker in ready]:
                try:
                    busy = self._attend(worker, starts)
                except (EOFError, OSError):  # the worker has died
                    busy = False
                if not busy:
                    working.remove(worker)
            self._report()

    def _attend(self, worker: Connection, starts: Iterator[int]) -> bool:
        """Receive a message of a worker; return whether the worker has more work."""
        message: Step | int | None = worker.recv()
        if isinstance(message, Step):
            self._keep(message)
            return True
        if message is not None:
            self._behind[message] = STEPS
        start = next(starts, None)
        if start is not None:
            worker.send(start)
        return start is not None

    def _keep(self, step: Step) -> None:
        """Store a step, unless it repeats one of a worker that died."""
        if step.start not in self._best or step.behind > self._behind[step.start]:
            self._behind[step.start] = step.behind
            self._best[step.start] = step

    def _report(self) -> None:
        self._progress(sum(self._behind) / (STEPS * len(self._behind)))
