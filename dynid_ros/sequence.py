"""What the nodes share that go through a sequence once and end with an exit code."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from std_msgs.msg import String

from dynid.errors import DynidError, TaskError
from dynid.report.terminal.results import print_demonstration
from dynid.report.verdict_json import read_quantities, read_verdict
from dynid_ros.countdown import Countdown
from dynid_ros.discovery_range import OPEN_BY, stay_on_this_machine
from dynid_ros.executor import make_executor
from dynid_ros.node import ERROR, OK, DynidNode, close
from dynid_ros.qos import LATCHED
from dynid_ros.remote import Remote, WaitTimeoutError
from dynid_ros.simulated_clock import SimulatedClock
from dynid_ros.stop import (
    CRITERION_FAILED,
    FINISHED,
    NO_GOOD_END,
    NOT_FINISHED,
    Stop,
    say,
    silence_closed_streams,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.executors import Executor

    from dynid.evaluation.verdict import Verdict
    from dynid.identification.quantities import Quantity

_TICK = 0.05  # [s] between looks at a condition
_FOLLOWS = 5.0  # [s] in which a topic follows the answer of the service that led to it


class InterruptionError(TaskError):
    """A signal ended the sequence."""


class IncompleteEndError(TaskError):
    """The sequence was given up, and the robot was not seen at rest, or a bag is incomplete."""


class SequenceNode(DynidNode):
    """Steps one after the other, each a service of another node; the identifier is one of them."""

    def __init__(self, name: str, stop: Stop, executor: Executor, **options: Any) -> None:  # noqa: ANN401
        """Get ready; nothing happens before :meth:`perform`, which lets ``executor`` spin."""
        super().__init__(name, **options)
        self._stop = stop
        self._giving_up = False  # a signal was one to stop, and that is what happens then
        self._doing = "starting"
        self._clock_watch = SimulatedClock(self)
        self._spinning = executor
        executor.add_node(self)
        self.verdicts: dict[str, Verdict] = {}
        """What was found, under ``identification`` and ``validation``."""
        self.heard: dict[str, str] = {}
        """The same as JSON, as the identifier published it."""
        self.quantities: tuple[Quantity, ...] = ()
        """Physical quantities that the profile asks for."""
        for kind in ("identification", "validation"):
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
            InterruptionError: a signal came; everything was brought to an end first.
            IncompleteEndError: it could not be finished, and something has not come to its end.
            TaskError: a step was refused or failed; everything was brought to an end first.
        """

        def step(name: str) -> None:
            tell(name)
            self._doing = name
            self.health(OK, name)
            self._progress.publish(String(data=name))

        try:
            return self.sequence(step)
        except DynidError as error:
            reason = error
        except Exception as error:  # noqa: BLE001  the robot has to come to rest all the same
            self.get_logger().error(traceback.format_exc())
            reason = TaskError(f"{self.get_name()} ended by a fault of dynid ({error!r}).")
        self.health(ERROR, str(reason))
        self._giving_up = True
        troubles = self.give_up()
        if not troubles:
            raise reason
        more = [one for one in troubles if one.rstrip(".") not in str(reason)]
        raise IncompleteEndError("; ".join(one.rstrip(".") for one in (str(reason), *more)) + ".")

    def sequence(self, step: Callable[[str], None]) -> bool:
        """Do it all; ``step`` is told the name of each step. To be overridden."""
        raise NotImplementedError

    def give_up(self) -> list[str]:
        """Bring to an end what the sequence began; may be overridden.

        Returns:
            A sentence for each thing that has not come to a good end.
        """
        return []

    def attempt(self, action: Callable[[], object]) -> list[str]:
        """Do what belongs to giving up; return in a sentence what it fails by."""
        try:
            action()
        except InterruptionError:
            raise
        except TaskError as error:
            return [str(error)]
        return []

    def judged(self, service: str, kind: str) -> bool:
        """Let the identifier work, and wait for its verdict; a failed model is no refusal."""
        self.heard.pop(kind, None)
        answer = self.identifier.call(service, timeout=None)
        try:
            self.wait(lambda: kind in self.heard, f"the identifier's {kind}", _FOLLOWS)
        except TaskError:
            raise TaskError(f"identifier: {answer.message}") from None
        self.get_logger().info(answer.message)
        self.verdicts[kind] = read_verdict(self.heard[kind])
        self.quantities = read_quantities(self.heard[kind]) or self.quantities
        return bool(answer.success)

    def wait(self, condition: Callable[[], object], what: str, timeout: float | None) -> None:
        """See :class:`dynid_ros.remote.Wait`; a signal ends the waiting as well."""
        left = None if timeout is None else Countdown(timeout)
        while not condition():
            if self._stop.asked and not self._giving_up:
                raise InterruptionError(f"interrupted by {self._stop.name} while {self._doing}.")
            if not self._giving_up:
                self._clock_watch.check()
            if left is not None and left.over():
                raise WaitTimeoutError(f"waited {timeout:g} s for {what}, in vain.")
            self._spinning.spin_once(timeout_sec=_TICK)

    def _taker(self, kind: str) -> Callable[[String], None]:
        def take(message: String) -> None:
            self.heard[kind] = message.data

        return take


def run_sequence(make: Callable[[Stop, Executor], SequenceNode]) -> int:
    """Run a sequence in a process of its own, print what was found, and return the exit code.

    0 for a good result, 1 where it failed its criterion, 2 where it could not be finished, 3 where
    something has not come to a good end, 128 plus its number where a signal came.
    """
    stop = Stop()
    stop.waiting_for = "the other nodes to bring the robot to rest and to close the bag"
    alone = stay_on_this_machine()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor()
    tasks: list[SequenceNode] = []
    try:
        tasks.append(make(stop, executor))
        if alone:
            tasks[0].get_logger().info(OPEN_BY)
        tasks[0].warn_of_unknown_parameters()
        good = tasks[0].perform(tasks[0].get_logger().info)
    except DynidError as error:
        return answer(error, stop)
    else:
        silence_closed_streams()
        print_demonstration(Console(), tasks[0].verdicts, tasks[0].quantities)
        return FINISHED if good else CRITERION_FAILED
    finally:
        close(executor, tasks)
        stop.over()


def answer(error: DynidError, stop: Stop) -> int:
    """Say why a sequence ended, and return the exit code."""
    say(str(error))
    if isinstance(error, IncompleteEndError):
        return NO_GOOD_END
    return stop.exit_code if isinstance(error, InterruptionError) else NOT_FINISHED
