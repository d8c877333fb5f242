"""A Trigger service that responds when its action has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from std_srvs.srv import Trigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.node import Node


class LateAnswer:
    """A service whose callers wait; all of them get the same response.

    rclpy answers as soon as a callback returns, and its events executor runs no coroutines: so the
    response that a callback returns is stored with its header, and sent later.
    """

    def __init__(self, node: Node, name: str, begin: Callable[[], str]) -> None:
        """Offer the service.

        Args:
            node: node of the service.
            name: name of the service.
            begin: starts the action; returns the response where it has ended already, else an
                empty text.
        """
        self._begin = begin
        self._waiting: list[tuple[Trigger.Response, Any]] = []
        self._service = node.create_service(Trigger, name, self._on_request)
        self._send = self._service.send_response
        self._service.send_response = self._send_or_keep  # type: ignore[method-assign]

    def answer(self, message: str, *, success: bool) -> None:
        """Respond to all waiting callers."""
        waiting, self._waiting = self._waiting, []
        for response, header in waiting:
            response.success, response.message = success, message
            self._send(response, header)

    def _on_request(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        response.message = self._begin()
        response.success = bool(response.message)
        return response

    def _send_or_keep(self, response: Trigger.Response, header: Any) -> None:
        if response.success:
            self._send(response, header)
        else:
            self._waiting.append((response, header))
