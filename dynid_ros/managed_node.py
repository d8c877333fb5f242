"""Base class of nodes with a lifecycle, which work only while they are active."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rclpy.lifecycle import LifecycleNodeMixin, TransitionCallbackReturn

from dynid.errors import DynidError, TaskError
from dynid_ros.node import DynidNode

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleState

_SUCCESS, _FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class ManagedNode(LifecycleNodeMixin, DynidNode):
    """A node of ROS 2's lifecycle that activates itself, unless ``autostart`` is false.

    Fixed parameters are read when the node starts, with its usual exit code where one is invalid,
    so ``configure`` and ``cleanup`` change the state alone. A subclass calls :meth:`bring_up` at
    the end of its ``__init__``.
    """

    def __init__(self, name: str, **options: Any) -> None:
        self.active = False
        """Whether the node works on requests."""
        DynidNode.__init__(self, name, **options)
        LifecycleNodeMixin.__init__(self, enable_communication_interface=True)
        self._autostart = self.fixed(
            "autostart", True, "Whether the node configures and activates itself when it starts."
        )

    def bring_up(self) -> None:
        """Activate the node, unless that is left to a lifecycle manager."""
        if self._autostart:
            self.trigger_configure()
            self.trigger_activate()

    def destroy_node(self) -> None:
        """Destroy the node and its lifecycle, which rclpy would leave in the ROS graph."""
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    def refuse_unless_active(self) -> None:
        """Raise a TaskError where the node is not active."""
        if not self.active:
            name = self.get_fully_qualified_name()
            raise TaskError(
                f"{self.get_name()} is not active; activate it first (ros2 lifecycle set {name} "
                "activate)."
            )

    def activated(self) -> None:
        """Report that requests are accepted; overridden by nodes."""

    def deactivated(self) -> None:
        """End the work in progress; overridden by nodes.

        Raises:
            DynidError: work that could not be finished.
        """

    @property
    def settling(self) -> bool:
        """Whether work still comes to its end after the deactivation; overridden by nodes."""
        return False

    def on_activate(self, _state: LifecycleState) -> TransitionCallbackReturn:
        """Accept requests."""
        self.active = True
        self.activated()
        return _SUCCESS

    def on_deactivate(self, _state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse requests from now on, and end the work in progress."""
        self._deactivate()
        return _SUCCESS

    def on_cleanup(self, _state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse while work still comes to its end."""
        return _FAILURE if self.settling else _SUCCESS

    def on_shutdown(self, _state: LifecycleState) -> TransitionCallbackReturn:
        """End the work in progress for good; the process ends by a signal."""
        self._deactivate()
        return _SUCCESS

    def on_error(self, _state: LifecycleState) -> TransitionCallbackReturn:
        """End the work in progress after a bug in a transition, and be unconfigured again."""
        self.get_logger().error("a transition ended by a bug in dynid.")
        self._deactivate()
        return _SUCCESS

    def _deactivate(self) -> None:
        if not self.active:
            return
        self.active = False
        try:
            self.deactivated()
        except DynidError as error:
            self.get_logger().error(str(error))
