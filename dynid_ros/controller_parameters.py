"""Parameters of another node, which may start later or be restarted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter

from dynid_ros.node import ERROR, OK, WARN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rclpy.task import Future

    from dynid.robot.parameter_file import ParameterValue
    from dynid_ros.node import DynidNode

_CHECK_PERIOD = 0.5  # [s] between checks whether the controller exists


class ControllerParameters:
    """Sets the parameters of a controller atomically, so that it never runs a partial model."""

    def __init__(self, node: DynidNode, controller: str, changed: Callable[[], None]) -> None:
        """Wait for parameters to set.

        Args:
            node: the calling node.
            controller: name of the other node.
            changed: called when ``level`` or ``sentence`` changes.
        """
        self._node = node
        self._name = controller
        self._changed = changed
        self._client = node.create_client(
            SetParametersAtomically, f"{controller}/set_parameters_atomically"
        )
        self._parameters: list[Parameter] = []
        self._call: Future | None = None
        self._pending = False
        self.level = OK
        self.sentence = ""
        """Result of setting the parameters; empty while there are none."""
        node.create_timer(_CHECK_PERIOD, self._update, clock=node.steady)

    def send(self, parameters: Mapping[str, ParameterValue]) -> None:
        """Set these now, or as soon as the controller exists."""
        self._parameters = [Parameter(name, value=value) for name, value in parameters.items()]
        self._call = None  # ignores the response to earlier ones
        self._pending = True
        self.level, self.sentence = WARN, ""
        self._update()

    def _update(self) -> None:
        if not self._parameters:
            return
        if not self._client.service_is_ready():
            self._call = None
            self._pending = True  # a restarted controller has no parameters of a model
            self._publish_status(
                WARN, f"{self._name} is not available; it will get the model when it is"
            )
        elif self._pending and self._call is None:
            self._publish_status(WARN, f"{self._name} is being given the model")
            request = SetParametersAtomically.Request(
                parameters=[parameter.to_parameter_msg() for parameter in self._parameters]
            )
            self._call = self._client.call_async(request)
            self._call.add_done_callback(self._answered)

    def _answered(self, call: Future) -> None:
        if call is not self._call:
            return
        self._call = None
        self._pending = False
        result = call.result().result
        if result.successful:
            self._publish_status(OK, f"{self._name} has the model")
        else:
            self._publish_status(ERROR, f"{self._name} refuses the model: {result.reason}")

    def _publish_status(self, level: bytes, sentence: str) -> None:
        if (level, sentence) == (self.level, self.sentence):
            return
        self.level, self.sentence = level, sentence
        log = self._node.get_logger()
        # rclpy requires each severity at a line of its own
        if level == OK:
            log.info(sentence)
        elif level == WARN:
            log.warning(sentence)
        else:
            log.error(sentence)
        self._changed()
