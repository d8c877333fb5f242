"""Node ``model_publisher``: publishes the robot's model from the start on."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import DynidError, ModelFileError
from dynid.input_file import read_text
from dynid.profile import make_robot
from dynid.robot.acceptance import check_acceptance, check_physical
from dynid.robot.model_file import parse_model
from dynid.robot.parameter_file import ros_parameters
from dynid.transaction import settled
from dynid_ros.controller_parameters import ControllerParameters
from dynid_ros.node import ERROR, OK, WARN, DynidNode, run
from dynid_ros.qos import LATCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynid.robot.model import Model


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
        follow = self.parameter(
            "follow", "", "Topic to receive models from, such as /identifier/model.", fixed=True
        )
        controller = self.parameter(
            "controller",
            "",
            "Node whose parameters model.… are set, such as /feedforward_controller.",
            fixed=True,
        )
        self._model: Model | None = None
        self._where = ""
        self._refusal = ""
        self._publisher = self.create_publisher(String, "/dynid/model", LATCHED)
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


def main() -> None:
    """Run the node until a signal comes."""
    sys.exit(run(ModelPublisher))


if __name__ == "__main__":
    main()
