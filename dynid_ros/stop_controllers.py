"""Deactivate every controller of controller_manager between two of its cycles.

``python -m dynid_ros.stop_controllers`` starts at once and acts when it reads a line. Needed before
controller_manager gets SIGINT: its handler (ros2_control 4.46) takes the interfaces away from
active controllers while a cycle may be using them, and the process then sometimes dies of SIGSEGV.
A switch of controllers is carried out by the cycle itself.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from dynid_ros.discovery_range import stay_on_this_machine

if TYPE_CHECKING:
    from rclpy.node import Node

LONGEST = 20.0
"""Time for it [s], after which controllers stay as they are."""

_MANAGER = "/controller_manager"


class ControllerStopper:
    """Clients of controller_manager's services, which are discovered from now on."""

    def __init__(self, node: Node) -> None:
        """Create the clients.

        Raises:
            ImportError: controller_manager_msgs is not installed.
        """
        from controller_manager_msgs.srv import ListControllers, SwitchController  # type: ignore[import-not-found]  # noqa: PLC0415

        self._node = node
        self._types = (ListControllers, SwitchController)
        self._list = node.create_client(ListControllers, f"{_MANAGER}/list_controllers")
        self._switch = node.create_client(SwitchController, f"{_MANAGER}/switch_controller")

    def stop(self, longest: float = LONGEST) -> bool:
        """Deactivate the controllers that are active; return whether none is active then."""
        deadline = time.monotonic() + longest
        listing, switching = self._types
        listed = self._call(self._list, listing.Request(), deadline)
        if listed is None:
            return False
        active = [
            controller.name for controller in listed.controller if controller.state == "active"
        ]
        if not active:
            return True
        request = switching.Request(
            deactivate_controllers=active, strictness=switching.Request.BEST_EFFORT
        )
        answer = self._call(self._switch, request, deadline)
        return bool(answer is not None and answer.ok)

    def _call(self, client: Any, request: Any, deadline: float) -> Any:
        """Return the answer to a request, or None after the deadline."""
        if not client.wait_for_service(max(0.0, deadline - time.monotonic())):
            return None
        future = client.call_async(request)
        left = max(0.0, deadline - time.monotonic())
        rclpy.spin_until_future_complete(self._node, future, timeout_sec=left)
        return future.result() if future.done() else None


def main() -> int:
    """Wait for a line, and stop the controllers; return 0 if none is active any more."""
    stay_on_this_machine()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("controller_stopper")
    try:
        stopper = ControllerStopper(node)
        if not sys.stdin.readline():
            return 1
        stopped = stopper.stop()
        if stopped:
            node.get_logger().info("the controllers are inactive")
        return 0 if stopped else 1
    except ImportError:
        return 1
    finally:
        node.destroy_node()
        rclpy.shutdown()


if __name__ == "__main__":
    sys.exit(main())
