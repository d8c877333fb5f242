"""Node ``replay_task``: replays a bag, identifies from the topic and the bag, and compares.

The parameters from the replayed messages must equal those from the bag itself. The exit code is 0
where they do, 1 where they do not or the model failed its criterion, 2 where the sequence was not
completed.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sensor_msgs.msg import JointState

from dynid.errors import DynidError, TaskError
from dynid.profile import load_model
from dynid.recording.bag import read_messages
from dynid.report.write import written_model
from dynid.robot.acceptance import largest_difference
from dynid_ros.qos import STATES
from dynid_ros.sequence import SequenceNode, run_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rclpy.executors import Executor

    from dynid.recording.bag import StampedMessage
    from dynid_ros.stop import Stop

_LISTENER = 20.0  # [s] for the identifier to subscribe to the topic
_PARAMETER_TOLERANCE = 1e-9  # relative difference of parameters by rounding


class ReplayTask(SequenceNode):
    """Replays the bag's joint states, at the recorded pace or another."""

    def __init__(self, stop: Stop, executor: Executor, **options: Any) -> None:
        """Get ready; nothing is published before :meth:`perform`."""
        super().__init__("replay_task", stop, executor, **options)
        self._given = self.fixed("recording", "", "Bag to replay.")
        self._bag = Path(self._given)
        self._output = Path(self.fixed("output", "out", "Folder for models and reports."))
        self._model = self.fixed(
            "model", "", "model.yaml to validate on the bag as well; empty: none."
        )
        self._topic = self.fixed(
            "topic", "/joint_states", "Topic to read from the bag, and to publish."
        )
        self._rate = self.fixed("rate", 1.0, "Recorded seconds per second.", between=(0.01, 100.0))
        self._states_out = self.create_publisher(JointState, self._topic, STATES)

    def sequence(self, step: Callable[[str], None]) -> bool:
        """Identify from the topic and from the bag, and compare the parameters."""
        if not self._given:
            raise TaskError(
                "parameter 'recording' of replay_task is empty; it must be a bag's path."
            )
        step("reading the bag")
        try:
            messages = read_messages(self._bag, self._topic)
        except DynidError as error:
            raise TaskError(str(error)) from None
        self.identifier.set(recording="", output=str(self._output), topic=self._topic)
        self.identifier.request("start")
        self.wait(self._states_out.get_subscription_count, "the identifier to subscribe", _LISTENER)
        step("replaying")
        self._replay(messages)
        self.identifier.request("stop")
        step("identifying from the topic")
        good = self.evaluated("identify", "identification")
        step("identifying the bag")
        self.identifier.set(recording=str(self._bag), output=str(self._output / "from_bag"))
        same = self.evaluated("identify", "identification")
        with self.logging_warnings():
            replayed = load_model(written_model(self._output, success=good))
            read = load_model(written_model(self._output / "from_bag", success=same))
        difference = largest_difference(replayed, read)
        step(f"parameters of topic and bag differ by {difference:.1g} of the largest of each kind")
        if self._model:
            step("validating the given model")
            self.identifier.set(model=self._model)
            good = self.evaluated("validate", "validation") and good
        return good and difference <= _PARAMETER_TOLERANCE

    def _replay(self, messages: Sequence[StampedMessage]) -> None:
        """Publish every message when it is due."""
        first = messages[0].receive_time
        begin = time.monotonic()
        published = 0

        def done() -> bool:
            nonlocal published
            now = first + (time.monotonic() - begin) * self._rate * 1e9
            while published < len(messages) and messages[published].receive_time <= now:
                self._states_out.publish(messages[published].raw)
                published += 1
            return published == len(messages)

        self.wait(done, "the replay", None)

    def give_up(self) -> list[str]:
        """Stop the collection of the identifier; no response is needed."""
        if self.identifier.present:
            self.attempt(lambda: self.identifier.call("stop"))
        return []


main = partial(run_sequence, ReplayTask)
