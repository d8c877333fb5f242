"""Client of another node: calls its services, sets its parameters, and follows its state."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from std_msgs.msg import Empty, String
from std_srvs.srv import Trigger

from dynid.errors import TaskError
from dynid_ros.qos import ALIVE, LATCHED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dynid_ros.sequence import SequenceNode

_APPEAR = 60.0  # [s] within which a starting node responds, also on a busy machine
# [s] after the lease of ALIVE, within which a suspended process may continue
_SUSPENSION_ALLOWANCE = 0.5
_PREFIX = 12  # bytes of an endpoint's identifier that are its participant's, by the RTPS standard
_ANSWER = 60.0  # [s] within which a service responds that only starts an action, likewise
# [s] longest time between two calls that counts: a paused process misses messages
_LONGEST_STEP = 0.1


class Countdown:
    """Counts down while it is called often; pauses of a busy process hardly count."""

    def __init__(self, duration: float) -> None:
        """Start to count down ``duration`` [s]."""
        self._left = duration
        self._last = time.monotonic()

    def over(self) -> bool:
        """Return whether the time is over; to be called several times a second."""
        now = time.monotonic()
        self._left -= min(_LONGEST_STEP, now - self._last)
        self._last = now
        return self._left < 0.0


class WaitTimeoutError(TaskError):
    """A condition did not become true in time."""


class LateMotionError(TaskError):
    """A motion came to rest early, because the player's computer was too slow for it."""


_ENDS = {"aborted": TaskError, "failed": TaskError, "late": LateMotionError}  # kinds of states


class Remote:
    """Services, parameters and state of one node, with a message for each failure."""

    def __init__(self, node: SequenceNode, name: str, services: Sequence[str]) -> None:
        """Create the clients of node ``name`` and of its Trigger ``services``."""
        self._node = node
        self._name = name
        self._title = name.removeprefix("/")
        self._wait = node.wait
        self._parameters = AsyncParameterClient(node, name)
        # made now, because a response only reaches clients that the server has discovered
        self._clients = {
            service: node.create_client(Trigger, f"{name}/{service}") for service in services
        }
        self._states: list[str] = []  # since the last call
        self.state = ""
        """The last state of the node; empty before the first."""
        self._silence: Countdown | None = None
        node.create_subscription(String, f"{name}/state", self._on_state, LATCHED)
        watch = SubscriptionEventCallbacks(liveliness=self._on_liveliness)
        node.create_subscription(
            Empty, f"{name}/alive", lambda _: None, ALIVE, event_callbacks=watch
        )

    @property
    def present(self) -> bool:
        """Whether the node's services are available."""
        return bool(self._parameters.services_are_ready()) and not self.silent

    @property
    def silent(self) -> bool:
        """Whether the node's process is killed or suspended, according to the middleware."""
        return self._silence is not None and self._silence.over()

    def appear(self) -> None:
        """Wait until the node is available."""
        self._wait(lambda: self.present, f"node {self._name} to appear", _APPEAR)

    def set(self, **values: str | float | bool) -> None:
        """Set parameters, all of them.

        Raises:
            TaskError: the node refuses one.
        """
        self.appear()
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        what = f"{self._name} to take {', '.join(values)}"
        future = self._parameters.set_parameters(parameters)
        try:
            self._wait(lambda: future.done() or not self.present, what, _ANSWER / 2)
        except WaitTimeoutError:  # the response was lost during discovery
            future = self._parameters.set_parameters(parameters)
            self._wait(lambda: future.done() or not self.present, what, _ANSWER / 2)
        if not future.done():
            raise TaskError(self._absence())
        results: list[SetParametersResult] = future.result().results
        for name, result in zip(values, results, strict=True):
            if not result.successful:
                raise TaskError(f"{self._name} refuses {name}={values[name]}: {result.reason}")

    def call(self, service: str, timeout: float | None = _ANSWER) -> Trigger.Response:
        """Call a Trigger service, and return its response."""
        self._states.clear()  # states from now on are results of the call
        client = self._clients[service]
        was = self.present
        self._wait(
            lambda: client.service_is_ready() or (was and not self.present),
            f"service {client.srv_name} to appear",
            _APPEAR,
        )
        if not client.service_is_ready():
            raise TaskError(f"{client.srv_name} was not called: {self._absence()}")
        future = client.call_async(Trigger.Request())
        self._wait(
            lambda: future.done() or self.silent or not client.service_is_ready(),
            f"{client.srv_name} to answer",
            timeout,
        )
        if not future.done():
            raise TaskError(f"{client.srv_name} was not answered: {self._absence()}")
        answer: Trigger.Response = future.result()
        return answer

    def request(self, service: str, timeout: float | None = _ANSWER) -> str:
        """Call a Trigger service that must succeed, and return its message.

        Raises:
            TaskError: it refuses, with its message.
        """
        answer = self.call(service, timeout)
        if not answer.success:
            raise TaskError(f"{self._title}: {answer.message}")
        return str(answer.message)

    def reach(self, wanted: str, *others: Remote) -> None:
        """Wait until the node's state is the wanted one, since the last call.

        Raises:
            LateMotionError: it changed to ``late`` instead.
            TaskError: it, or one of the required ``others``, changed to ``aborted`` or ``failed``
                instead, or ended.
        """

        def trouble() -> TaskError | None:
            return next((error for remote in (self, *others) if (error := remote.ended())), None)

        self._wait(
            lambda: trouble() or (self._states and self._states[-1] == wanted),
            f"{self._name} to be {wanted}",
            None,
        )
        if error := trouble():
            raise error

    def leave(self, states: Collection[str], what: str, timeout: float) -> None:
        """Wait until the node's state is not in ``states``, or it ended.

        Raises:
            TaskError: not within ``timeout`` [s]; the message names ``what``.
        """
        self._wait(lambda: self.state not in states or not self.present, what, timeout)

    def _on_state(self, message: String) -> None:
        self.state = message.data
        self._states.append(message.data)

    def ended(self) -> TaskError | None:
        """Return why the wanted state cannot be reached any more; None where it can."""
        for state in self._states:
            kind, _, reason = state.partition(": ")
            if kind in _ENDS:
                return _ENDS[kind](f"{self._title}: {reason}")
        return None if self.present else TaskError(self._absence())

    def _absence(self) -> str:
        if not self.silent:
            return f"{self._title} has ended."
        return f"{self._title} does not respond any more: its process was killed or is suspended."

    def _on_liveliness(self, status: Any) -> None:
        if status.alive_count:
            self._silence = None
        elif self._silence is None and not self._is_of_this_process():
            self._silence = Countdown(_SUSPENSION_ALLOWANCE)

    def _is_of_this_process(self) -> bool:
        """Return whether the node is in this process, so that a lost lease is only a delay."""
        own_name = self._node.get_fully_qualified_name()
        return bool(self._participants(own_name) & self._participants(self._name))

    def _participants(self, name: str) -> frozenset[bytes]:
        """Return the middleware's participants of a node; there is one for a process."""
        alive = self._node.get_publishers_info_by_topic(f"{name}/alive")
        return frozenset(bytes(publisher.endpoint_gid[:_PREFIX]) for publisher in alive)
