"""What every node of dynid shares: described parameters, diagnostics at 1 Hz, a clean end."""

from __future__ import annotations

import signal
import sys
import warnings
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterUninitializedException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from dynid.errors import ConfigurationError, DynidError, ModelFileWarning
from dynid.profile import load_robot
from dynid_ros.executor import make_executor
from dynid_ros.qos import DIAGNOSTICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from std_srvs.srv import Trigger

    from dynid.robot.robot import Robot

OK, WARN, ERROR = (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR)

ValueT = TypeVar("ValueT", bool, int, float, str, list[str])

_KINDS: dict[type, str] = {
    bool: "true or false",
    float: "a number with a decimal point",
    int: "a whole number",
    list: "a list of texts",
    str: "a text",
}
_PATIENCE = 0.1  # [s] between looks at whether a signal came


class DynidNode(Node):
    """A node that describes its parameters, tells /diagnostics how it is, and ends cleanly."""

    def __init__(self, name: str, **options: Any) -> None:  # noqa: ANN401  as Node has them
        """Start with a sound status."""
        super().__init__(name, **options)
        self.steady = Clock(clock_type=ClockType.STEADY_TIME)
        """Time that passes even where a simulation's stands still."""
        self._health = DiagnosticStatus(name=name, level=OK, message="started")
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self.create_timer(1.0, self._publish_health, clock=self.steady)

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
            name: what it is called.
            default: its value where none is given, which also fixes its type.
            description: a sentence with units, for ``ros2 param describe``.
            between: least and greatest value of a number.
            fixed: whether it can only be set at start-up.

        Raises:
            ConfigurationError: the value given at start-up is impossible.
        """
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
            message = (
                f"parameter '{name}' of {self.get_name()}: expected "
                f"{_KINDS[type(default)]}{where} ({description.rstrip('.')}); {error}"
            )
            raise ConfigurationError(message) from None
        return value

    def declare_robot(self, *, fixed: bool = True) -> None:
        """Declare which robot this is about: parameters ``profile`` and ``urdf``."""
        self.parameter("profile", "puma560", "Robot profile: name or YAML file.", fixed=fixed)
        self.parameter("urdf", "", "URDF in place of the profile's; empty: none.", fixed=fixed)

    def load_robot(self) -> Robot:
        """The robot that the parameters name now.

        Raises:
            ConfigurationError: there are none, or they are impossible.
        """
        urdf = self.current("urdf", str)
        return load_robot(self.current("profile", str), urdf=Path(urdf) if urdf else None)

    @contextmanager
    def logging_warnings(self) -> Iterator[None]:
        """Log what Python warns of in the block, such as a model.yaml without a seal."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ModelFileWarning)  # also where it was read before
            yield
        for one in warned:
            self.get_logger().warning(str(one.message))

    def warn_of_unknown_parameters(self) -> None:
        """Say which parameters given at start-up this node does not have; ROS ignores them."""
        for name in self._parameter_overrides:
            if not self.has_parameter(name):
                near = get_close_matches(name, self._parameters, n=1)
                hint = f"; did you mean '{near[0]}'" if near else ""
                self.get_logger().warning(f"there is no parameter '{name}'{hint}.")

    def current(self, name: str, kind: type[ValueT]) -> ValueT:
        """The value that a declared parameter of a type has now."""
        value = self.get_parameter(name).value
        assert isinstance(value, kind)  # noqa: S101  declared so
        return value

    def health(self, level: bytes, message: str, **values: object) -> None:
        """Say how the node is; /diagnostics repeats it until something else is said."""
        changed = (level, message) != (self._health.level, self._health.message)
        self._health.level = level
        self._health.message = message
        self._health.values = [KeyValue(key=key, value=str(v)) for key, v in values.items()]
        if changed:
            self._publish_health()

    def measured(self) -> dict[str, object]:
        """Figures of this very moment to add to /diagnostics; a node overrides it."""
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
        """Bring everything to a good end; runs on SIGINT and SIGTERM while topics still work."""

    def _publish_health(self) -> None:
        status = DiagnosticStatus(
            name=self._health.name,
            hardware_id="dynid",
            level=self._health.level,
            message=self._health.message,
            values=[
                *self._health.values,
                *(KeyValue(key=key, value=str(v)) for key, v in self.measured().items()),
            ],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        # the node may be destroyed while its timer comes due
        with suppress(rclpy_implementation.InvalidHandle):
            self._diagnostics.publish(array)


class Stop:
    """Whether SIGINT or SIGTERM came; rclpy's own handlers would cut the topics off at once."""

    def __init__(self) -> None:
        """Listen from now on; a second signal of a kind acts as ever."""
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._take)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(number, signal.SIG_DFL)


def run(make: Callable[[], DynidNode], arguments: list[str] | None = None) -> int:
    """Run a node until a signal comes, and return the process's exit code.

    Bad parameters become one sentence and exit code 2.
    """
    stop = Stop()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = make()
        node.warn_of_unknown_parameters()
    except DynidError as error:
        sys.stderr.write(f"dynid: {error}\n")
        rclpy.shutdown()
        return 2
    executor = make_executor()
    executor.add_node(node)
    try:
        while not stop.asked:
            executor.spin_once(timeout_sec=_PATIENCE)
        node.finish()
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()
    return 0
