"""Worker processes, each of which runs descents, one start at a time.

A worker is a new interpreter that imports dynid only. The processes of multiprocessing would run
the ``__main__`` of the calling program again, which is impossible if it was read from standard
input, and endless without ``if __name__ == "__main__":``.

Messages: a worker receives an :class:`ExcitationProblem` and then numbers of starts; it sends the
number of the start that it has completed, or None, to request another one, and a :class:`Step` for
every step of the descent. If one side ends, the other reads the end of the file (EOFError), or
fails to write (OSError).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.excitation.design.design import Design, ExcitationSpec, make_design
from dynid.robot.model import Model

# set the parent's path before any import: -c alone would search the working directory
_PROGRAM = (
    f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import work; work(int(sys.argv[1]))"
)


class ExcitationProblem(NamedTuple):
    """What all starts have in common.

    Attributes:
        model: of the robot, with the parameters that predict torque.
        spec: the specification of the excitation.
        torque_noise: standard deviation of each joint's measured torque (n,) [N m or N].
        seed: of the random initial motions.
    """

    model: Model
    spec: ExcitationSpec
    torque_noise: Array
    seed: int

    def design(self) -> Design:
        """Return the problem in the form that is searched."""
        return make_design(self.model, self.spec, self.torque_noise)


class Step(NamedTuple):
    """A step of the descent from one start.

    Attributes:
        start: its number.
        behind: number of completed steps, of STEPS.
        pose: about which the joints move (n,) [rad or m].
        y: coordinates of the motion in the space of series about that pose (n, d).
    """

    start: int
    behind: int
    pose: Array
    y: Array


def descend(design: Design, start: int, seed: int) -> Iterator[Step]:
    """Yield a first motion from one start, and successive improvements.

    Its number and the seed of the random motions determine every step.

    Raises:
        ExcitationError: the robot has no room to move.
    """
    random = np.random.default_rng([seed, start])
    pose = design.pose(random, elsewhere=start % 2 == 1)
    descent = design.descent(pose)
    y = design.begin(descent, random)
    yield Step(start, 0, pose, y)  # within all limits: a result, should the search be stopped
    for behind, better in descent.steps(y):
        yield Step(start, behind, pose, better)


@contextmanager
def workers(count: int, problem: ExcitationProblem) -> Iterator[list[Connection]]:
    """Start workers on a problem and yield the connections to them; kill them at the end.

    There are none if ``sys.executable`` is not a Python interpreter, as in a program that embeds
    Python, and fewer if the system cannot start more.
    """
    interpreter = Path(sys.executable or "").name.startswith("python")
    with ExitStack() as stack:
        connections: list[Connection] = []
        with suppress(OSError):
            for _ in range(count if interpreter else 0):
                connections.append(stack.enter_context(_worker()))  # noqa: PERF401  keep some
        for connection in connections:  # after all have started: they import in parallel
            with suppress(OSError):  # the worker has died, as the reader will detect
                connection.send(problem)
        yield connections


@contextmanager
def _worker() -> Iterator[Connection]:
    """Start a worker in its own session, so that Ctrl-C in the terminal does not reach it."""
    parent_end, child_end = Pipe()
    with parent_end:
        with child_end:
            process = Popen(
                [sys.executable, "-c", _PROGRAM, str(child_end.fileno()), *sys.path],
                stdin=DEVNULL,
                stdout=DEVNULL,
                pass_fds=[child_end.fileno()],
                start_new_session=True,
            )
        try:
            yield parent_end
        finally:
            process.kill()
            process.wait()


def work(descriptor: int) -> None:
    """Run descents from the starts that the parent sends to a socket, by its descriptor."""
    threadpool_limits(1, user_api="blas")  # for good: the processors have their processes
    with suppress(EOFError, OSError), Connection(descriptor) as parent:
        problem: ExcitationProblem = parent.recv()
        design = problem.design()
        parent.send(None)
        while True:
            start: int = parent.recv()
            try:
                for step in descend(design, start, problem.seed):
                    parent.send(step)
            except Exception:  # noqa: BLE001  the parent repeats this start, and raises it there
                parent.send(None)
            else:
                parent.send(start)
