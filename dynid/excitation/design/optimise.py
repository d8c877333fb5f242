"""The most informative excitation of a robot, proven to be within the limits."""

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
    design = make_design(model, spec, torque_noise)  # raises errors here, not in a worker process
    workers = min(starts, jobs or processors())
    if workers > 1:
        search = search_in_processes(model, spec, torque_noise, starts, seed, workers, progress)
    else:
        search = search_here(design, starts, seed, progress)
    if not search.found:
        message = (
            "excitation: the search was stopped before it found a motion within all limits; let "
            "it run longer."
        )
        raise ExcitationError(message)
    objectives = {
        start.number: design.descent(start.pose).objective(start.y) for start in search.found
    }
    best = min(search.found, key=lambda start: (objectives[start.number], start.number))
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
