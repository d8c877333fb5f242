"""Node ``model_publisher``: publishes the robot's model from the start on."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import DynidError, ModelFileError
from dynid.input_file import read_text
from dynid.profile import make_robot
from dynid.robot.acceptance import check_acceptance, check_physical
from dynid.robot.model_file import parse_model
from dynid.robot.parameter_file import ros_parameters
from dynid.transaction import settled
from dynid_ros.executor import run
from dynid_ros.node import ERROR, OK, WARN, DynidNode
from dynid_ros.qos import LATCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rclpy.task import Future

    from dynid.robot.model import Model
    from dynid.robot.parameter_file import ParameterValue

_CHECK_PERIOD = 0.5  # [s] between checks whether the controller exists


class ModelPublisher(DynidNode):
    """Publishes a model of the robot, and sets it on the controller."""

    def __init__(self, **options: Any) -> None:
        """Load the model of the parameters, or report on /diagnostics why it is refused."""
        super().__init__("model_publisher", **options)
        self.parameter("model", "", "Path of the model.yaml to load at start-up and by ~/load.")
        self.declare_robot(fixed=False)
        self.parameter(
            "force",
            False,
            "Load a model even if its identification failed or it is not physically consistent.",
        )
        follow = self.fixed(
            "follow", "", "Topic to receive models from, such as /identifier/model."
        )
        controller = self.fixed(
            "controller",
            "",
            "Node whose parameters model.… are set, such as /feedforward_controller.",
        )
        self._model: Model | None = None
        self._where = ""
        self._refusal = ""
        self._publisher = self.create_publisher(String, "dynid/model", LATCHED)
        self._controller = (
            ControllerParameters(self, controller, self._publish_status) if controller else None
        )
        self.create_service(Trigger, "~/load", self.answering(self._load))
        if follow:
            self.create_subscription(String, follow, self._on_model, LATCHED)
        self._publish_status()
        if self.current("model", str):
            self._run_logged(self._load)

    def _load(self) -> str:
        """Load the file of parameter ``model``."""
        path = self.current("model", str)
        with self._refusing():
            if not path:
                raise ModelFileError(
                    "parameter 'model' is empty; set it to the path of a model.yaml, then load."
                )
            with settled(Path(path)):
                text = read_text(Path(path))
        return self._publish_if_accepted(text, path)

    def _on_model(self, message: String) -> None:
        """Accept a model of another node."""
        self._run_logged(
            lambda: self._publish_if_accepted(message.data, f"topic {self.current('follow', str)}")
        )

    def _publish_if_accepted(self, text: str, where: str) -> str:
        """Publish a model if it is one of this robot; otherwise the previous one stays."""
        with self._refusing():
            with self.logging_warnings():
                model = parse_model(text, where, make_robot)
            robot = self.load_robot()
            force = self.current("force", bool)
            check_acceptance(model, robot, where, force=force)
            if not force:
                check_physical(model, where)
            parameters = ros_parameters(text, where)
        self._publisher.publish(String(data=text))
        self._model, self._where = model, where
        if self._controller is not None:
            self._controller.send(parameters)
        self._publish_status()
        failed = ", whose identification failed," if model.failed else ""
        dated = model.identified_provenance.dated
        return f"{where}: the model of {robot.name} identified on {dated}{failed} is published."

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Report on /diagnostics why the newest model was refused, until one is accepted."""
        try:
            yield
        except DynidError as error:
            self._refusal = str(error)
            self._publish_status()
            raise
        self._refusal = ""

    def _run_logged(self, action: Callable[[], str]) -> None:
        """Run an action without a caller that waits for its response."""
        try:
            self.get_logger().info(action())
        except DynidError as error:
            self.get_logger().error(str(error))

    def _publish_status(self) -> None:
        """Summarise on /diagnostics: a refusal has priority, then the controller."""
        figures: dict[str, object] = {"published": "none"}
        if self._model is not None:
            figures = {
                "published": self._where,
                "robot": self._model.robot.name,
                "identified": self._model.identified_provenance.dated,
                "status": "failed" if self._model.failed else "success",
            }
        controller = self._controller
        if controller is not None and controller.sentence:
            figures["controller"] = controller.sentence
        if self._refusal:
            self.health(ERROR, self._refusal, **figures)
        elif self._model is None:
            self.health(WARN, "no model yet", **figures)
        elif controller is not None and controller.level != OK:
            self.health(controller.level, controller.sentence, **figures)
        elif self._model.failed:
            self.health(WARN, f"{self._where}: failed its criterion, loaded by force", **figures)
        else:
            self.health(OK, f"{self._where} is published", **figures)


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


main = partial(run, ModelPublisher)
