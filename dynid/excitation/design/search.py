"""Descents from random starts, distributed to processes, and their results."""

from __future__ import annotations

import os
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple

from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.excitation.design.interior_point import STEPS
from dynid.excitation.design.worker import ExcitationProblem, Ready, Step, descend, workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from dynid.excitation.design.design import Design, ExcitationSpec
    from dynid.robot.model import Model


class StartResult(NamedTuple):
    """Result of one start.

    Attributes:
        number: of the start.
        pose: about which the joints move (n,) [rad or m].
        y: its coordinates in the space of series about that pose (n, d).
    """

    number: int
    pose: Array
    y: Array


class Search(NamedTuple):
    """Results of all starts, and whether the search was interrupted."""

    found: tuple[StartResult, ...]
    interrupted: bool


def search_here(
    design: Design, starts: int, seed: int, progress: Callable[[float], None]
) -> Search:
    """Search from each start, one after the other; a KeyboardInterrupt ends it.

    Args:
        design: the problem.
        starts: how many.
        seed: of the random motions to begin from.
        progress: called with the completed share of all work, from 0 to 1.
    """
    descents = _Descents(starts, progress)
    try:
        descents.complete(design, seed)
        progress(1.0)
    except KeyboardInterrupt:
        return Search(descents.found(), interrupted=True)
    return Search(descents.found(), interrupted=False)


def search_in_processes(
    model: Model,
    spec: ExcitationSpec,
    torque_noise: Array,
    starts: int,
    seed: int,
    jobs: int,
    progress: Callable[[float], None],
) -> Search:
    """Search in as many processes as ``jobs``, with the same result as :func:`search_here`.

    Starts that no process completes, because it was killed or had an error, are repeated here.
    """
    problem = ExcitationProblem(model, spec, torque_noise, seed)
    descents = _Descents(starts, progress)
    try:
        with workers(min(jobs, starts), problem) as connections:
            descents.distribute(connections)
        if descents.left():
            descents.complete(problem.design(), seed)
        progress(1.0)
    except KeyboardInterrupt:
        return Search(descents.found(), interrupted=True)
    return Search(descents.found(), interrupted=False)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class _Descents:
    """Progress and results of the descents from all starts.

    Args:
        starts: how many.
        progress: called with the completed share of all work, from 0 to 1.
    """

    def __init__(self, starts: int, progress: Callable[[float], None]) -> None:
        self._best: dict[int, StartResult] = {}
        self._behind = [0] * starts  # completed steps of each; STEPS means complete
        self._progress = progress

    def found(self) -> tuple[StartResult, ...]:
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
        message: Step | Ready = worker.recv()
        if isinstance(message, Step):
            self._keep(message)
            return True
        if message.completed is not None:
            self._behind[message.completed] = STEPS
        start = next(starts, None)
        if start is not None:
            worker.send(start)
        return start is not None

    def _keep(self, step: Step) -> None:
        """Store a step, unless it repeats one of a worker that died."""
        if step.start not in self._best or step.behind > self._behind[step.start]:
            self._behind[step.start] = step.behind
            self._best[step.start] = StartResult(step.start, step.pose, step.y)

    def _report(self) -> None:
        self._progress(sum(self._behind) / (STEPS * len(self._behind)))
