"""Services and actions for long work; actions where ``dynid_interfaces`` is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rclpy.action.server import ActionServer, CancelResponse
from std_srvs.srv import Trigger

from dynid.errors import DynidError
from dynid_ros.interface_types import interface_type

if TYPE_CHECKING:
    from rclpy.node import Node


Respond = Callable[[bool, str], None]
"""Sends the response to a request: whether it succeeded, and a message."""


def late_service(node: Node, name: str, begin: Callable[[Respond], None]) -> None:
    """Offer a Trigger service that responds later.

    rclpy responds as soon as a callback returns, and its events executor on ROS 2 Jazzy runs no
    coroutines (later ones do): so the response is delayed where it would be sent.

    Args:
        node: node of the service.
        name: name of the service.
        begin: called on each request, in the thread that spins the node.
    """
    service: Any = node.create_service(Trigger, name, lambda _request, response: response)
    send = service.send_response

    def on_request(_response: Trigger.Response, header: Any) -> None:
        def respond(success: bool, message: str) -> None:
            send(Trigger.Response(success=success, message=message), header)

        begin(respond)

    service.send_response = on_request


class Goal:
    """One goal: feedback while its work is under way, then a result."""

    def __init__(self, server: _Server, handle: Any) -> None:
        self._server = server
        self._handle = handle
        self.request: Any = handle.request
        """The fields of the goal."""
        self.over = False
        """Whether the result is available to the client."""

    def feedback(self, **fields: object) -> None:
        """Publish feedback."""
        if not self.over:
            self._handle.publish_feedback(self._server.action_type.Feedback(**fields))

    def end(self, *, success: bool, **fields: object) -> None:
        """End with a result: canceled where that was requested, unless it has succeeded."""

        def conclude(handle: Any) -> Any:
            if success:
                handle.succeed()
            elif handle.is_cancel_requested:
                handle.canceled()
            else:
                handle.abort()
            self.over = True
            return self._server.action_type.Result(**fields)

        # as a task, so after the response to a request to cancel in which the work may end
        self._server.notify_execute(self._handle, conclude)


class LongAction:
    """An action whose work is started in a callback, and ends in a later one.

    Every goal is accepted, because ROS has no reason for a rejection: a goal that is refused is
    aborted, with the reason as ``message`` of its result.
    """

    def __init__(
        self,
        node: Node,
        kind: str,
        name: str,
        begin: Callable[[Goal], None],
        cancel: Callable[[Goal], None],
    ) -> None:
        """Offer the action, where its type is installed.

        Args:
            node: node of the action.
            kind: its type in ``dynid_interfaces``.
            name: its name.
            begin: starts the work of a goal, and ends the goal later; raises a DynidError to
                refuse it.
            cancel: makes the work of a goal end early; the goal ends as usual.
        """
        self._begin = begin
        self._cancel = cancel
        self._goals: dict[bytes, Goal] = {}
        kind = interface_type("action", kind)
        self.offered = kind is not None
        """Whether the action exists."""
        if self.offered:
            self._server = _Server(node, kind, name, self._on_goal)
            self._server.register_cancel_callback(self._on_cancel)

    def _on_goal(self, handle: Any) -> None:
        self._goals = {key: goal for key, goal in self._goals.items() if not goal.over}
        goal = self._goals[bytes(handle.goal_id.uuid)] = Goal(self._server, handle)
        try:
            self._begin(goal)
        except DynidError as error:
            goal.end(success=False, message=str(error))

    def _on_cancel(self, handle: Any) -> CancelResponse:
        goal = self._goals.get(bytes(handle.goal_id.uuid))
        if goal is not None:
            self._cancel(goal)
        return CancelResponse.ACCEPT


class _Server(ActionServer):
    """Server whose goals are executed later.

    rclpy's events executor polls a coroutine that waits without a pause, so that a callback for a
    goal's whole execution would need a thread.
    """

    def __init__(self, node: Node, kind: Any, name: str, begin: Callable[[Any], None]) -> None:
        self._begin = begin
        super().__init__(node, kind, name, lambda _: None)  # type: ignore[no-untyped-call]

    def notify_execute(
        self, goal_handle: Any, execute_callback: Callable[[Any], Any] | None
    ) -> None:
        """Start the work of an accepted goal; with a callback, end it."""
        if execute_callback is None:
            self._begin(goal_handle)
        else:
            super().notify_execute(goal_handle, execute_callback)  # type: ignore[no-untyped-call]
