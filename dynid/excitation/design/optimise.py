"""The most informative excitation of a robot, and the proof that it keeps the limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.checks import check_motion, sliding_joints
from dynid.excitation.design.design import make_design
from dynid.excitation.design.search import (
    processors,
    search_here,
    search_in_processes,
)
from dynid.excitation.limits import check_limits, check_rest
from dynid.excitation.settings import FourierSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.excitation.design.design import Design, ExcitationSpec
    from dynid.excitation.design.search import StartResult
    from dynid.excitation.fourier import FourierExcitation
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot

_SHRINKAGE = 0.995  # of a motion that passes a limit between the samples of the search
_SMALLEST = 0.2  # share of a motion that is left of it at least; else something else is wrong


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best excitation that was found, proven to keep every limit.

    Attributes:
        settings: that describe it, for a file.
        excitation: the motion.
        condition_number: of the base regressor that it was designed by.
        objectives: what each start came to, of the objective; smaller is better, NaN is nothing.
        size: share of the motion found that was left, so that limits hold between samples too.
        interrupted: the search was stopped on the way.
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
    """Search the most informative excitation for a robot's base parameters within its limits.

    The same arguments give the same excitation, whatever ``jobs``. A KeyboardInterrupt ends the
    search with the best motion so far.

    Args:
        model: of the robot, with the parameters to predict torque by.
        spec: the excitation wanted.
        torque_noise: standard deviation of each joint's measured torque (n,) [N m or N].
        starts: random motions to begin from.
        seed: of these.
        jobs: processes; None for one for each processor, but no more than starts.
        progress: told the share of the search that is behind, from 0 to 1.

    Raises:
        DynidError: the robot has no room to move, settings do not fit, or the search was
            interrupted before it found any motion.
    """
    # matrices here are some 100 wide: more threads only get in each other's way
    with threadpool_limits(1, user_api="blas"):
        return _optimise(model, spec, torque_noise, starts, seed, jobs, progress)


def _optimise(
    model: Model,
    spec: ExcitationSpec,
    torque_noise: Array,
    starts: int,
    seed: int,
    jobs: int | None,
    progress: Callable[[float], None],
) -> Optimum:
    design = make_design(model, spec, torque_noise)  # errors are raised here, not in a process
    workers = min(starts, jobs or processors())
    if workers > 1:
        search = search_in_processes(model, spec, torque_noise, starts, seed, workers, progress)
    else:
        search = search_here(design, starts, seed, progress)
    if not search.found:
        message = (
            "excitation: the search was stopped before there was a motion within all limits; let "
            "it run a little longer."
        )
        raise ExcitationError(message)
    objectives = {one.number: design.descent(one.pose).objective(one.y) for one in search.found}
    best = min(search.found, key=lambda one: (objectives[one.number], one.number))
    excitation, size = _proven(design, model.robot, best)
    return Optimum(
        settings=_described(spec.settings, excitation),
        excitation=excitation,
        condition_number=design.condition_number(excitation),
        objectives=tuple(objectives.get(number, np.nan) for number in range(starts)),
        size=size,
        interrupted=search.interrupted,
    )


def _proven(design: Design, robot: Robot, best: StartResult) -> tuple[FourierExcitation, float]:
    """Return the motion, a little smaller if need be, and its share of what was found."""
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
            if size * _SHRINKAGE < _SMALLEST:
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
