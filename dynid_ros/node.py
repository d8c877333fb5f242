"""Base class of all nodes: described parameters, and diagnostics at 1 Hz."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.action.client import ActionClient
from rclpy.action.server import ActionServer
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterUninitializedException,
)
from rclpy.node import Node
from std_msgs.msg import Empty

from dynid.errors import ConfigurationError, DynidError, ModelFileWarning
from dynid.profile import load_robot
from dynid.robot.description import is_description
from dynid.robot.urdf_profile import assumptions
from dynid_ros.qos import ALIVE, DIAGNOSTICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from _typeshed import DataclassInstance
    from rclpy.timer import Timer
    from std_srvs.srv import Trigger

    from dynid.robot.robot import Robot

OK, WARN, ERROR = (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR)

ValueT = TypeVar("ValueT", bool, int, float, str, list[str])
SettingsT = TypeVar("SettingsT", bound="DataclassInstance")
Described = tuple[str, "tuple[float, float] | None"]
"""A parameter's sentence, and the range of a number."""

_KINDS: dict[type, str] = {
    bool: "true or false",
    float: "a number with a decimal point",
    int: "a whole number",
    list: "a list of texts",
    str: "a text",
}


class DynidNode(Node):
    """A node that describes its parameters, publishes /diagnostics, and shuts down cleanly."""

    ending = "ending"
    """Its activity after a signal, for the log; overridden by nodes with work to finish."""

    def __init__(self, name: str, *, clock: Clock | None = None, **options: Any) -> None:
        """Start with status OK.

        Args:
            name: of the node.
            clock: replaces the node's own clock and the steady one; None: the system's.
            options: options of ``rclpy.node.Node``.
        """
        self._given_clock = clock
        self._destroyed = False
        self.unspun: list[Node] = []
        """Nodes of :meth:`make_unspun`, which are destroyed with this one."""
        super().__init__(name, **options)
        self.steady = clock or Clock(clock_type=ClockType.STEADY_TIME)
        """Time that also advances while a simulation is paused."""
        self._health = DiagnosticStatus(name=name, level=OK, message="started")
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._alive = self.create_publisher(Empty, "~/alive", ALIVE)
        self.create_timer(1.0, self._publish_health, clock=self.steady)

    def create_timer(
        self,
        timer_period_sec: float,
        callback: Callable[[], object],
        *arguments: Any,
        **options: Any,
    ) -> Timer:
        """Create a timer whose ``callback`` is not called once the node is destroyed.

        The events executor measures time in a thread, which may have queued a call when the node
        was removed.
        """

        def call() -> None:
            if not self._destroyed:
                callback()

        return super().create_timer(timer_period_sec, call, *arguments, **options)

    def destroy_node(self) -> None:
        """Destroy the node with all it has, after which its timers call nothing."""
        self._destroyed = True
        for node in self.unspun:
            node.destroy_node()
        destroy_actions(self)
        super().destroy_node()  # type: ignore[no-untyped-call]

    def make_unspun(self, purpose: str) -> Node:
        """Make a node that no executor spins: the messages of its subscriptions are polled.

        Its name starts with an underscore, which hides it; names of topics are to be resolved.
        """
        node = rclpy.create_node(
            f"_{self.get_name()}_{purpose}",
            context=self.context,
            namespace=self.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self.unspun.append(node)
        return node

    def get_clock(self) -> Clock:
        """Return the clock that the node's messages are stamped with."""
        return self._given_clock or super().get_clock()

    @property
    def seconds(self) -> float:
        """Steady time [s]."""
        return float(self.steady.now().nanoseconds * 1e-9)

    def parameter(
        self,
        name: str,
        default: ValueT,
        description: str,
        *,
        between: tuple[float, float] | None = None,
        fixed: bool = False,
    ) -> ValueT:
        """Declare a parameter and return its first value.

        Args:
            name: name of the parameter.
            default: its default value, which also sets its type.
            description: a sentence with units, for ``ros2 param describe``.
            between: least and greatest value of a number.
            fixed: whether it can only be set at start-up.

        Raises:
            ConfigurationError: the value given at start-up is invalid.
            ValueError: a number without its range.
        """
        if between is None and type(default) in {int, float}:
            raise ValueError(f"parameter '{name}' is a number: between which values?")
        descriptor = ParameterDescriptor(description=description, read_only=fixed)
        if between is not None and isinstance(default, float):
            limits = FloatingPointRange(from_value=float(between[0]), to_value=float(between[1]))
            descriptor.floating_point_range = [limits]
        elif between is not None:
            low, high = between
            descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
        try:
            value: ValueT = self.declare_parameter(name, default, descriptor).value
        except (
            InvalidParameterTypeException,
            InvalidParameterValueException,
            ParameterUninitializedException,
        ) as error:
            where = "" if between is None else f" from {between[0]:g} to {between[1]:g}"
            raise ConfigurationError(
                f"parameter '{name}' of {self.get_name()}: expected "
                f"{_KINDS[type(default)]}{where} ({description.rstrip('.')}); {error}"
            ) from None
        return value

    def fixed(
        self,
        name: str,
        default: ValueT,
        description: str,
        *,
        between: tuple[float, float] | None = None,
    ) -> ValueT:
        """Declare a parameter that can only be set at start-up; see :meth:`parameter`."""
        return self.parameter(name, default, description, between=between, fixed=True)

    def declare_settings(
        self, usual: SettingsT, described: Mapping[str, Described], *, fixed: bool = False
    ) -> SettingsT:
        """Declare fields of settings as parameters, and return the settings that they give.

        Args:
            usual: a dataclass, whose values are the defaults.
            described: a sentence with units and the range of a number, by field.
            fixed: whether they can only be set at start-up.
        """
        given = {
            name: self.parameter(name, getattr(usual, name), text, between=between, fixed=fixed)
            for name, (text, between) in described.items()
        }
        return replace(usual, **given)

    def declare_robot(self, *, fixed: bool = True) -> None:
        """Declare the parameters of the robot: ``profile`` and ``urdf``."""
        self.parameter("profile", "puma560", "Robot profile: name or YAML file.", fixed=fixed)
        self.parameter("urdf", "", "URDF instead of the profile's; empty: none.", fixed=fixed)

    def load_robot(self) -> Robot:
        """Return the robot that the parameters name now.

        Raises:
            ConfigurationError: the profile or URDF does not exist or is invalid.
        """
        urdf, profile = self.current("urdf", str), self.current("profile", str)
        robot = load_robot(profile, urdf=Path(urdf) if urdf else None)
        if is_description(Path(profile)):
            assumed = "; ".join(assumptions(robot))
            self.get_logger().info(f"{profile} is no profile, so assumed are {assumed}")
        return robot

    @contextmanager
    def logging_warnings(self) -> Iterator[None]:
        """Log Python warnings in the block, such as a model.yaml without a seal."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ModelFileWarning)  # also where it was read before
            yield
        for warning in warned:
            self.get_logger().warning(str(warning.message))

    def warn_of_unknown_parameters(self) -> None:
        """Log parameters given at start-up that this node does not have; ROS ignores them."""
        for name in self._parameter_overrides:
            if not self.has_parameter(name):
                near = get_close_matches(name, self._parameters, n=1)
                hint = f"; did you mean '{near[0]}'" if near else ""
                self.get_logger().warning(f"there is no parameter '{name}'{hint}.")

    def current(self, name: str, kind: type[ValueT]) -> ValueT:
        """Return the present value of a declared parameter of a type."""
        value = self.get_parameter(name).value
        assert isinstance(value, kind)  # noqa: S101  declared so
        return value

    def health(self, level: bytes, message: str, **values: object) -> None:
        """Set the node's status, which /diagnostics repeats until the next one."""
        changed = (level, message) != (self._health.level, self._health.message)
        self._health.level = level
        self._health.message = message
        self._health.values = key_values(values)
        if changed:
            self._publish_health()

    def measured(self) -> dict[str, object]:
        """Return present values to add to /diagnostics; overridden by nodes."""
        return {}

    def answering(
        self, action: Callable[[], str]
    ) -> Callable[[Trigger.Request, Trigger.Response], Trigger.Response]:
        """Make a Trigger service of an action that returns a sentence or raises a DynidError."""

        def answer(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            try:
                response.message = action()
                response.success = True
            except DynidError as error:
                response.message = str(error)
                response.success = False
                self.get_logger().error(str(error))
            return response

        return answer

    def finish(self) -> None:
        """Finish the node's work after a signal, while topics still work.

        Raises:
            DynidError: work that could not be finished; the process exits with 3.
        """

    def _publish_health(self) -> None:
        status = DiagnosticStatus(
            name=self._health.name,
            hardware_id="dynid",
            level=self._health.level,
            message=self._health.message,
            values=[*self._health.values, *key_values(self.measured())],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def key_values(values: Mapping[str, object]) -> list[KeyValue]:
    """Return values of a DiagnosticStatus."""
    return [KeyValue(key=key, value=str(value)) for key, value in values.items()]


def destroy_actions(node: Node) -> None:
    """Destroy a node's action servers and clients.

    rclpy destroys all else with a node. An action that is left keeps the node in the ROS graph.
    """
    for waitable in list(node.waitables):
        if isinstance(waitable, ActionServer | ActionClient):
            waitable.destroy()  # type: ignore[no-untyped-call]
