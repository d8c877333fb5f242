"""Random starts, each a piece of work for a process, and the best of what they come to."""

from __future__ import annotations

import os
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple

from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.excitation.design.interior_point import STEPS
from dynid.excitation.design.worker import Problem, Ready, Step, descend, workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from dynid.excitation.design.design import Design, ExcitationSpec
    from dynid.robot.model import Model


class StartResult(NamedTuple):
    """What one start came to.

    Attributes:
        number: of the start.
        pose: about which the motion is (n,) [rad or m].
        y: its coordinates in the space of series about that pose (n, d).
    """

    number: int
    pose: Array
    y: Array


class Search(NamedTuple):
    """What all starts came to, and whether they were stopped on the way."""

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
        progress: told the share of all work that is behind, from 0 to 1.
    """
    descents = _Descents(starts, progress)
    try:
        descents.complete(design, seed)
    except KeyboardInterrupt:
        return Search(descents.found(), interrupted=True)
    progress(1.0)
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
    """Do the same in as many processes as ``jobs``, with the same result.

    What no process completes, because it was killed or an error ended it, is repeated here.
    """
    problem = Problem(model, spec, torque_noise, seed)
    descents = _Descents(starts, progress)
    try:
        with workers(min(jobs, starts), problem) as connections:
            descents.share_out(connections)
        if descents.left():
            descents.complete(problem.design(), seed)
    except KeyboardInterrupt:
        return Search(descents.found(), interrupted=True)
    progress(1.0)
    return Search(descents.found(), interrupted=False)


def processors() -> int:
    """Return the processors that this process may use."""
    return len(os.sched_getaffinity(0))


class _Descents:
    """The descents from all starts, as far as this process knows them.

    Args:
        starts: how many.
        progress: told the share of all work that is behind, from 0 to 1.
    """

    def __init__(self, starts: int, progress: Callable[[float], None]) -> None:
        self._best: dict[int, StartResult] = {}
        self._behind = [0] * starts  # steps of each, all of STEPS for one that is complete
        self._progress = progress

    def found(self) -> tuple[StartResult, ...]:
        """The best motion of each start that has come to any, in the order of their numbers."""
        return tuple(self._best[number] for number in sorted(self._best))

    def left(self) -> list[int]:
        """Return the numbers of the starts that are not complete."""
        return [number for number, behind in enumerate(self._behind) if behind < STEPS]

    def complete(self, design: Design, seed: int) -> None:
        """Descend here from all starts that are left."""
        # as in a worker: with more threads BLAS adds in another order, and steps are others
        with threadpool_limits(1, user_api="blas"):
            for number in self.left():
                for step in descend(design, number, seed):
                    self._keep(step)
                    self._report()
                self._behind[number] = STEPS

    def share_out(self, connections: list[Connection]) -> None:
        """Give each worker one start after the other, as long as there are starts and workers."""
        starts, working = iter(self.left()), list(connections)
        while working:
            ready = wait(working)
            for worker in [one for one in working if one in ready]:
                try:
                    busy = self._attend(worker, starts)
                except (EOFError, OSError):  # it has died
                    busy = False
                if not busy:
                    working.remove(worker)
            self._report()

    def _attend(self, worker: Connection, starts: Iterator[int]) -> bool:
        """Receive a message of a worker; whether it still has work to do."""
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
        """Keep a step, unless it repeats one of a worker that died."""
        if step.behind > self._behind[step.start]:
            self._behind[step.start] = step.behind
            self._best[step.start] = StartResult(step.start, step.pose, step.y)

    def _report(self) -> None:
        self._progress(sum(self._behind) / (STEPS * len(self._behind)))
