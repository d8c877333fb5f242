"""Node ``identifier``: a model with its verdict from a recording or from live joint states."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import RecordingError
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.json_text import json_text
from dynid.profile import load_model
from dynid.recording.settings import RecordingSettings
from dynid.report.card import Card
from dynid.report.verdict_json import verdict_json
from dynid.report.write import (
    kept_model,
    write_outputs,
    write_validation_outputs,
    written_model,
    written_validation,
)
from dynid.text import percent
from dynid_ros.background import Background, Conclude, TaskResponse
from dynid_ros.executor import run
from dynid_ros.identification_parameters import (
    IdentificationRequest,
    declare_identification,
    identification_request,
)
from dynid_ros.interface_types import TypedTopic, verdict_fields
from dynid_ros.joint_state_collector import JointStateCollector
from dynid_ros.long_action import Goal, LongAction
from dynid_ros.managed_node import ManagedNode
from dynid_ros.node import ERROR, OK, WARN
from dynid_ros.qos import LATCHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.evaluation.verdict import Verdict

    Step = Callable[[str], None]

_IDENTIFYING = "identifying"


class Identifier(ManagedNode):
    """Identifies and validates in a thread, and collects live joint states on request."""

    ending = "ending the calculation"

    def __init__(self, **options: Any) -> None:
        super().__init__("identifier", **options)
        declare_identification(self)
        self._model = self.create_publisher(String, "~/model", LATCHED)
        self._identification = self.create_publisher(String, "~/identification", LATCHED)
        self._validation = self.create_publisher(String, "~/validation", LATCHED)
        self._identification_verdict = TypedTopic(self, "Verdict", "~/identification_verdict")
        self._validation_verdict = TypedTopic(self, "Verdict", "~/validation_verdict")
        self._collector: JointStateCollector | None = None
        self.create_service(Trigger, "~/start", self.answering(self._start))
        self.create_service(Trigger, "~/stop", self.answering(self._stop))
        self._background = Background(self)
        self._background.service(
            "~/identify", _IDENTIFYING, lambda: partial(self._identify, self._request())
        )
        self._background.service(
            "~/validate", "validating", lambda: partial(self._validate, self._request())
        )
        self._action = LongAction(
            self, "Identify", "~/identify", self._begin_goal, self._cancel_goal
        )
        self.health(OK, "inactive")
        self.bring_up()

    def activated(self) -> None:
        """Report that the services are ready."""
        self.health(OK, "ready")

    def deactivated(self) -> None:
        """End the work in progress; what was collected live is kept."""
        self._background.interrupt()
        if self._collector is not None and self._collector.active:
            self._collector.stop()
        self.health(OK, "inactive")

    def measured(self) -> dict[str, object]:
        """Return the progress of work and collecting."""
        figures: dict[str, object] = {}
        if self._background.busy:
            figures["step"] = self._background.step
        if self._collector is not None:
            figures["collected"] = self._collector.messages
        return figures

    def finish(self) -> None:
        """End the work in progress; files are written atomically."""
        self._background.interrupt()

    def _request(self, **given: str) -> IdentificationRequest:
        """Return the present parameters, with those that are ``given`` and not empty instead.

        Raises:
            DynidError: the node is not active, or is collecting what it should read.
        """
        self.refuse_unless_active()
        live = None if self._collector is None else self._collector.messages
        request = identification_request(self, live, given)
        if request.recording is None:
            self._refuse_while_collecting()
        return request

    # --- identify and validate, in the background -------------------------------------------------
    def _begin_goal(self, goal: Goal) -> None:
        """Identify for an action; a goal that is canceled ends as interrupted work does."""
        request = goal.request

        def end(answer: TaskResponse) -> None:
            goal.end(
                success=bool(answer.verdict),
                passed=answer.success,
                message=answer.sentence,
                verdict=answer.verdict,
                path=answer.path,
            )

        self._background.begin(
            _IDENTIFYING,
            lambda: partial(
                self._identify, self._request(recording=request.recording, output=request.output)
            ),
            end,
            lambda step: goal.feedback(step=step),
        )

    def _cancel_goal(self, _goal: Goal) -> None:
        self._background.interrupt()

    def _identify(self, request: IdentificationRequest, step: Step) -> Conclude:
        robot = request.robot()
        recording = request.read(robot, step)
        result = identify(robot, recording, progress=step)
        step("writing the report")
        write_outputs(result, request.output, request.named())
        card = Card.of(result, request.named())
        fields = verdict_fields(result, card)
        verdict = verdict_json(
            card,
            condition_number=result.provenance.condition_number,
            base_parameters=len(result.base_parameters),
            samples=result.samples,
            quantities=result.quantities,
        )
        model = result.model.text()
        success = result.verdict.success
        sentence = kept_model(request.output, success=success)
        kept = f" ({sentence.rstrip('.')})" if sentence else ""

        def conclude() -> TaskResponse:
            path = written_model(request.output, success=success)
            self._identification_verdict.publish(**fields)
            self._identification.publish(String(data=json_text(verdict)))
            if success:
                self._model.publish(String(data=model))
                outcome = f"identified {robot.name}", f"model in {path}"
            else:
                outcome = (
                    f"the identification of {robot.name} failed",
                    f"the model in {path} is marked as failed and must not run{kept}",
                )
            answer = self._evaluated(result.verdict, *outcome)
            return answer._replace(verdict=json_text(verdict), path=str(path))

        return conclude

    def _validate(self, request: IdentificationRequest, step: Step) -> Conclude:
        with self.logging_warnings():
            model = load_model(request.model)
        made = model.identified_provenance
        named = request.named(tuned=bool(model.thresholds))
        recording = request.read(model.robot, step)
        step("evaluating")
        result = validate(model, recording)
        step("writing the report")
        write_validation_outputs(result, request.output, named)
        card = Card.of(result, named)
        fields = verdict_fields(result, card)
        verdict = verdict_json(
            card,
            condition_number=made.condition_number,
            base_parameters=made.base_parameter_count,
            samples=result.samples,
        )

        def conclude() -> TaskResponse:
            self._validation_verdict.publish(**fields)
            self._validation.publish(String(data=json_text(verdict)))
            verb = "validated" if result.verdict.success else "refuted"
            return self._evaluated(
                result.verdict,
                f"{verb} {request.model}",
                f"report in {written_validation(result, request.output)}",
            )

        return conclude

    def _evaluated(self, verdict: Verdict, outcome: str, where: str) -> TaskResponse:
        """Report the outcome on /diagnostics, with the errors of all joints, and to the caller."""
        error = percent(verdict.mean_relative_error)
        sentence = f"{outcome}: mean relative error {error}, {where}."
        if not verdict.success:
            sentence = f"{sentence} {' '.join(verdict.reasons)}"
        figures = {
            f"{joint.joint}: relative error": percent(joint.relative_error)
            for joint in verdict.joints
        }
        warnings = {f"warning {n}": text for n, text in enumerate(verdict.warnings, start=1)}
        level = ERROR if not verdict.success else WARN if warnings else OK
        self.health(level, sentence, **figures, **warnings)
        return TaskResponse(verdict.success, sentence)

    # --- live joint states ------------------------------------------------------------------------
    def _start(self) -> str:
        self._refuse_while_collecting()
        request = self._request()
        self._collector = JointStateCollector(
            self,
            self.resolve_topic_name(
                request.topic or request.robot().settings(RecordingSettings).topic
            ),
            longest=self.current("max_duration", float),
            ended=self._full,
        )
        self.health(OK, f"collecting {self._collector.topic}")
        return f"collecting {self._collector.topic}, of {self._collector.publishers} publishers."

    def _stop(self) -> str:
        collector = self._collector
        if collector is None:
            raise RecordingError("nothing is being collected; call ~/start first.")
        if not collector.active:
            raise RecordingError(
                collector.messages.full or "collecting was already stopped; call ~/start again."
            )
        collector.stop()
        outcome = f"collected {collector.messages}"
        self.health(WARN if collector.messages.lost else OK, outcome)
        return f"{outcome}."

    def _full(self) -> None:
        """Report that collecting ended by itself."""
        assert self._collector is not None  # noqa: S101  it called
        self.health(ERROR, self._collector.messages.full)
        self.get_logger().error(self._collector.messages.full)

    def _refuse_while_collecting(self) -> None:
        if self._collector is not None and self._collector.active:
            raise RecordingError(
                f"{self._collector.topic} is still being collected; call ~/stop first."
            )


main = partial(run, Identifier)
