"""Random starts, each a piece of work for a process, and the best of what they come to."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.excitation.design.design import Design, Wish, make_design
from dynid.excitation.design.interior_point import STEPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.sharedctypes import Synchronized

    from dynid.profile import RobotProfile


_LOOK = 0.1  # [s] between looks at how far the processes are


@dataclass(frozen=True, eq=False)
class Robot:
    """Whose excitation is searched, in a form that can be sent to a process.

    Attributes:
        profile: The robot's.
        urdf_xml: Its URDF.
        parameters: Of the profile's mechanism (p,), to predict torque by.
        torque_noise: Standard deviation of each joint's measured torque (n,) [N m or N].
    """

    profile: RobotProfile
    urdf_xml: str
    parameters: Array
    torque_noise: Array


class Found(NamedTuple):
    """What one start came to.

    Attributes:
        number: Of the start.
        pose: About which the motion is (n,) [rad or m].
        y: Its coordinates in the space of series about that pose (n, d).
    """

    number: int
    pose: Array
    y: Array


class Search(NamedTuple):
    """What all starts came to, and whether they were stopped on the way."""

    found: tuple[Found, ...]
    interrupted: bool


def design_for(robot: Robot, wish: Wish) -> Design:
    """Return the problem that a wish makes for a robot; see make_design for what it raises."""
    model = robot.profile.mechanism(robot.urdf_xml).with_parameters(robot.parameters)
    return make_design(robot.profile, robot.urdf_xml, model, wish, robot.torque_noise)


def search_here(
    design: Design, starts: int, seed: int, progress: Callable[[float], None]
) -> Search:
    """Search from each start, one after the other; a KeyboardInterrupt ends it.

    Args:
        design: The problem.
        starts: How many.
        seed: Of the random motions to begin from.
        progress: Told the share of all work that is behind, from 0 to 1.
    """
    found: list[Found] = []
    for number in range(starts):
        best = None
        try:
            for steps, better in _descend(design, number, seed):
                best = better
                progress((number + steps / STEPS) / starts)
        except KeyboardInterrupt:
            return Search((*found, *([] if best is None else [best])), interrupted=True)
        if best is not None:
            found.append(best)
    progress(1.0)
    return Search(tuple(found), interrupted=False)


def search_in_processes(
    robot: Robot,
    wish: Wish,
    starts: int,
    seed: int,
    jobs: int,
    progress: Callable[[float], None],
) -> Search:
    """Do the same in as many processes as ``jobs``, with the same result."""
    context = multiprocessing.get_context("spawn")  # a fork would share this one's threads
    stopped = context.Value("b", 0)
    behind = [context.Value("i", 0) for _ in range(starts)]
    interrupted = False
    given = (robot, wish, seed, stopped, behind)
    with ProcessPoolExecutor(jobs, context, _begin_work, given) as pool:
        with _deaf():
            work = [pool.submit(_work, number) for number in range(starts)]
        try:
            while wait(work, timeout=_LOOK).not_done:
                progress(sum(steps.value for steps in behind) / (STEPS * starts))
        except KeyboardInterrupt:
            stopped.value, interrupted = 1, True
        results = [one.result() for one in work]
    found = sorted((one for one in results if one is not None), key=lambda one: one.number)
    return Search(tuple(found), interrupted)


@contextmanager
def _deaf() -> Iterator[None]:
    """Ignore interrupts: what is spawned meanwhile does so for good, from its first moment.

    The terminal sends them to all processes, and this one decides.
    """
    if threading.current_thread() is not threading.main_thread():  # which has no say in signals
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def _descend(design: Design, number: int, seed: int) -> Iterator[tuple[int, Found]]:
    """Ever better motions from one start, and how many of STEPS are behind."""
    random = np.random.default_rng([seed, number])
    pose = design.pose(random, elsewhere=number % 2 == 1)
    descent = design.descent(pose)
    y = design.begin(descent, random)
    for steps, better in descent.steps(y):
        yield steps, Found(number, pose, better)


class _Worker(NamedTuple):
    """What a process was begun with."""

    design: Design
    seed: int
    stopped: Synchronized[int]
    behind: list[Synchronized[int]]


_worker: list[_Worker] = []


def _begin_work(
    robot: Robot,
    wish: Wish,
    seed: int,
    stopped: Synchronized[int],
    behind: list[Synchronized[int]],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1, user_api="blas")  # for good: the processors have their processes
    _worker[:] = [_Worker(design_for(robot, wish), seed, stopped, behind)]


def _work(number: int) -> Found | None:
    design, seed, stopped, behind = _worker[0]
    best = None
    if not stopped.value:
        for steps, better in _descend(design, number, seed):
            best = better
            behind[number].value = steps
            if stopped.value:
                break
    behind[number].value = STEPS
    return best
