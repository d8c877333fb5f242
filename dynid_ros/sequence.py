"""What the nodes share that go through a sequence once and end with an exit code."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from std_msgs.msg import String

from dynid.errors import DynidError, TaskError
from dynid.report.terminal.results import print_demonstration
from dynid.report.verdict_json import read_judgement, read_quantities
from dynid_ros.executor import make_executor
from dynid_ros.node import ERROR, OK, DynidNode, Stop
from dynid_ros.qos import LATCHED
from dynid_ros.remote import Remote

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.executors import Executor

    from dynid.evaluation.verdict import Verdict
    from dynid.identification.quantities import Quantity

_TICK = 0.05  # [s] between looks at a condition
_FOLLOWS = 5.0  # [s] in which a topic follows the answer of the service that led to it


class SequenceNode(DynidNode):
    """Steps one after the other, each a service of another node; the identifier is one of them."""

    def __init__(self, name: str, stop: Stop, executor: Executor, **options: Any) -> None:  # noqa: ANN401
        """Get ready; nothing happens before :meth:`perform`, which lets ``executor`` spin."""
        super().__init__(name, **options)
        self._stop = stop
        self._spinning = executor
        executor.add_node(self)
        self.judgements: dict[str, Verdict] = {}
        """What was found, under ``judgement`` and ``validation``."""
        self.heard: dict[str, str] = {}
        """The same as JSON, as the identifier published it."""
        self.quantities: tuple[Quantity, ...] = ()
        """Physical quantities that the profile asks for."""
        for kind in ("judgement", "validation"):
            self.create_subscription(String, f"/identifier/{kind}", self._taker(kind), LATCHED)
        self._progress = self.create_publisher(String, "~/progress", LATCHED)
        self.identifier = Remote(
            self, "/identifier", self.wait, ("start", "stop", "identify", "validate")
        )

    def perform(self, tell: Callable[[str], None]) -> bool:
        """Go through the sequence; return whether the result is good.

        Args:
            tell: is given the name of each step as it begins.

        Raises:
            TaskError: a step was refused or failed; everything was brought to an end first.
        """

        def step(name: str) -> None:
            tell(name)
            self.health(OK, name)
            self._progress.publish(String(data=name))

        try:
            return self.sequence(step)
        except TaskError as error:
            self.health(ERROR, str(error))
            self._stop.asked = False  # a signal was one to stop, and that is what happens now
            self.give_up()
            raise

    def sequence(self, step: Callable[[str], None]) -> bool:
        """Do it all; ``step`` is told the name of each step. To be overridden."""
        raise NotImplementedError

    def give_up(self) -> None:
        """Bring to an end what the sequence began; may be overridden."""

    def attempt(self, action: Callable[[], object]) -> None:
        """Do what belongs to giving up; what it fails by is logged, as the reason came before."""
        try:
            action()
        except TaskError as error:
            self.get_logger().error(str(error))

    def judged(self, service: str, kind: str) -> bool:
        """Let the identifier work, and wait for its verdict; a failed model is no refusal."""
        self.heard.pop(kind, None)
        answer = self.identifier.call(service, timeout=None)
        try:
            self.wait(lambda: kind in self.heard, f"the identifier's {kind}", _FOLLOWS)
        except TaskError:
            raise TaskError(f"identifier: {answer.message}") from None
        self.get_logger().info(answer.message)
        self.judgements[kind] = read_judgement(self.heard[kind])
        self.quantities = read_quantities(self.heard[kind]) or self.quantities
        return bool(answer.success)

    def wait(self, condition: Callable[[], object], what: str, timeout: float | None) -> None:
        """See :class:`dynid_ros.remote.Wait`; a signal ends the waiting as well."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not condition():
            if self._stop.asked:
                raise TaskError("interrupted.")
            if deadline is not None and time.monotonic() > deadline:
                raise TaskError(f"waited {timeout:g} s for {what}, in vain.")
            self._spinning.spin_once(timeout_sec=_TICK)

    def _taker(self, kind: str) -> Callable[[String], None]:
        def take(message: String) -> None:
            self.heard[kind] = message.data

        return take


def run_sequence(make: Callable[[Stop, Executor], SequenceNode]) -> int:
    """Run a sequence in a process of its own, print what was found, and return the exit code.

    0 for a good result, 1 where it failed its criterion, 2 where it could not be finished.
    """
    stop = Stop()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor()
    try:
        task = make(stop, executor)
        task.warn_of_unknown_parameters()
        good = task.perform(task.get_logger().info)
        print_demonstration(Console(), task.judgements, task.quantities)
        task.destroy_node()
    except DynidError as error:
        sys.stderr.write(f"dynid: {error}\n")
        return 2
    else:
        return 0 if good else 1
    finally:
        executor.shutdown()
        rclpy.shutdown()
