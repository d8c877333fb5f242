"""Base class of nodes that run a sequence once and end with an exit code."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from std_msgs.msg import String

from dynid.errors import DynidError, TaskError
from dynid.report.terminal.results import print_demonstration
from dynid.report.verdict_json import read_card, read_quantities
from dynid_ros.discovery_range import stay_on_this_machine
from dynid_ros.executor import close, make_executor
from dynid_ros.node import ERROR, OK, DynidNode
from dynid_ros.qos import LATCHED
from dynid_ros.remote import Countdown, Remote, WaitTimeoutError
from dynid_ros.stop import (
    CRITERION_FAILED,
    FINISHED,
    NO_GOOD_END,
    NOT_FINISHED,
    VALIDATION_MISSING,
    Stop,
    silence_closed_streams,
    write_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.executors import Executor
    from rclpy.node import Node

    from dynid.identification.quantities import Quantity
    from dynid.report.card import Card

_LONGEST_PAUSE = 1.5  # [s] that /clock may pause; including a tick this is detected within 2 s

_TICK = 0.05  # [s] between checks of a condition
_FOLLOWS = 5.0  # [s] in which a topic follows the response of its service


class InterruptionError(TaskError):
    """A signal ended the sequence."""


class IncompleteEndError(TaskError):
    """The sequence was aborted, and the robot was not observed at rest or a bag is incomplete."""


class RefusedError(TaskError):
    """A node refused a step, and nothing has changed."""


class SequenceNode(DynidNode):
    """A sequence of steps, each a service of another node, such as the identifier."""

    def __init__(self, name: str, stop: Stop, executor: Executor, **options: Any) -> None:
        """Get ready; nothing happens before :meth:`perform`, which spins ``executor``."""
        super().__init__(name, **options)
        self._stop = stop
        self._giving_up = False  # signals are ignored while the sequence is being aborted
        self._doing = "starting"
        self._clock_watch = SimulatedClock(self)
        self._spinning = executor
        executor.add_node(self)
        self.cards: dict[str, Card] = {}
        """Results by the identifier's topics, ``identification`` and ``validation``."""
        self.received: dict[str, str] = {}
        """The results as JSON, as published by the identifier."""
        self.quantities: tuple[Quantity, ...] = ()
        """Physical quantities defined in the profile."""
        self.missing = ""
        """The part of a good result that is missing, and why, as a sentence; empty: none."""
        for kind in ("identification", "validation"):
            self.create_subscription(String, f"identifier/{kind}", self._callback_of(kind), LATCHED)
        self._progress = self.create_publisher(String, "~/progress", LATCHED)
        self.identifier = self.remote("identifier", "start", "stop", "identify", "validate")

    def remote(self, name: str, *services: str) -> Remote:
        """Return the client of a node in this one's namespace."""
        return Remote(self, f"{self.get_namespace().rstrip('/')}/{name}", services)

    def perform(self, report: Callable[[str], None]) -> bool:
        """Run the sequence; return whether the result passes its criterion.

        Args:
            report: called with the name of each step at its start.

        Raises:
            InterruptionError: a signal arrived; the sequence was shut down cleanly.
            IncompleteEndError: it was not completed, and the shutdown was not clean.
            TaskError: a step was refused or failed; the sequence was shut down cleanly.
        """

        def step(name: str) -> None:
            report(name)
            self._doing = name
            self.health(OK, name)
            self._progress.publish(String(data=name))

        try:
            return self.sequence(step)
        except DynidError as error:
            reason = error
        except Exception as error:  # noqa: BLE001  the robot has to come to rest in any case
            self.get_logger().error(traceback.format_exc())
            reason = TaskError(f"{self.get_name()} ended by a bug in dynid ({error!r}).")
        self.health(ERROR, str(reason))
        self._giving_up = True
        troubles = self.give_up()
        if not troubles:
            raise reason
        further = [trouble for trouble in troubles if trouble.rstrip(".") not in str(reason)]
        raise IncompleteEndError(
            "; ".join(trouble.rstrip(".") for trouble in (str(reason), *further)) + "."
        )

    def sequence(self, step: Callable[[str], None]) -> bool:
        """Run all steps; ``step`` is called with the name of each one. To be overridden."""
        raise NotImplementedError

    def give_up(self) -> list[str]:
        """Shut down what the sequence has started; may be overridden.

        Returns:
            A sentence for each incomplete shutdown.
        """
        return []

    def attempt(self, action: Callable[[], object]) -> list[str]:
        """Run an action of the shutdown; return its error as a sentence, if any."""
        try:
            action()
        except InterruptionError:
            raise
        except TaskError as error:
            return [str(error)]
        return []

    def evaluated(self, service: str, kind: str) -> bool:
        """Call the identifier, and wait for its verdict; a failed model is not an error.

        Raises:
            RefusedError: there is no verdict, because it refused the recording.
        """
        self.received.pop(kind, None)
        answer = self.identifier.call(service, timeout=None)
        try:
            self.wait(lambda: kind in self.received, f"the identifier's {kind}", _FOLLOWS)
        except TaskError:
            raise RefusedError(f"identifier: {answer.message}") from None
        self.get_logger().info(answer.message)
        self.cards[kind] = read_card(self.received[kind])
        self.quantities = read_quantities(self.received[kind]) or self.quantities
        return bool(answer.success)

    def wait(self, condition: Callable[[], object], what: str, timeout: float | None) -> None:
        """Let the node run until a condition holds, a signal comes, or a time is over.

        Args:
            condition: tried again and again.
            what: that is waited for, for the message.
            timeout: longest time [s]; None: any.

        Raises:
            InterruptionError: a signal arrived.
            WaitTimeoutError: the condition did not hold in time.
            TaskError: the simulated time has stopped.
        """
        left = None if timeout is None else Countdown(timeout)
        while not condition():
            if self._stop.requested and not self._giving_up:
                raise InterruptionError(f"interrupted by {self._stop.name} while {self._doing}.")
            if not self._giving_up:
                self._clock_watch.check()
            if left is not None and left.over():
                raise WaitTimeoutError(f"timed out after waiting {timeout:g} s for {what}.")
            self._spinning.spin_once(timeout_sec=_TICK)

    def _callback_of(self, kind: str) -> Callable[[String], None]:
        def callback(message: String) -> None:
            self.received[kind] = message.data

        return callback


def run_sequence(make: Callable[[Stop, Executor], SequenceNode]) -> int:
    """Run a sequence in its own process, print the results, and return the exit code.

    It is 0 where the result passes its criterion, 1 where it fails, 2 where the sequence was not
    completed, 3 where the shutdown was not clean, 4 where the result is good but its validation is
    missing, 128 plus the signal's number after a signal.
    """
    stop = Stop()
    stop.waiting_for = "the other nodes to bring the robot to rest and to close the bag"
    reach = stay_on_this_machine()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor()
    tasks: list[SequenceNode] = []
    try:
        tasks.append(make(stop, executor))
        if reach:
            tasks[0].get_logger().info(reach)
        tasks[0].warn_of_unknown_parameters()
        good = tasks[0].perform(tasks[0].get_logger().info)
    except DynidError as error:
        return stop.done(answer(error, stop))
    else:
        silence_closed_streams()
        print_demonstration(Console(), tasks[0].cards, tasks[0].quantities)
        return stop.done(outcome(tasks[0], good=good))
    finally:
        close(executor, tasks)
        stop.over()


def outcome(task: SequenceNode, *, good: bool) -> int:
    """Return the exit code of a completed sequence, and print what is missing."""
    if task.missing:
        write_error(f"WARNING: {task.missing}")
    if not good:
        return CRITERION_FAILED
    return VALIDATION_MISSING if task.missing else FINISHED


def answer(error: DynidError, stop: Stop) -> int:
    """Print why a sequence ended, and return the exit code."""
    write_error(str(error))
    if isinstance(error, IncompleteEndError):
        return NO_GOOD_END
    return stop.exit_code if isinstance(error, InterruptionError) else NOT_FINISHED


class SimulatedClock:
    """Monitors the time of a node that uses /clock; does nothing for others."""

    def __init__(self, node: Node) -> None:
        """Start with the node's first time."""
        self._node = node
        self._last = 0  # [ns] of simulated time
        self._timeout = Countdown(_LONGEST_PAUSE)  # since it changed

    def check(self) -> None:
        """Check the time; to be called often.

        Raises:
            TaskError: it has not changed for too long after its first message.
        """
        if not self._node.get_parameter("use_sim_time").value:
            return
        simulated = int(self._node.get_clock().now().nanoseconds)
        if simulated != self._last or not simulated:
            self._last, self._timeout = simulated, Countdown(_LONGEST_PAUSE)
        elif self._timeout.over():
            raise TaskError(
                f"the simulated time of /clock stopped at {simulated * 1e-9:.2f} s; its publisher "
                "has ended or is paused."
            )
