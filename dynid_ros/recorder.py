"""Node ``recorder``: records topics to a rosbag2 folder, raw and complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.expand_topic_name import expand_topic_name
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.errors import RecordingError
from dynid.json_text import json_text
from dynid.recording.bag import DEFAULT_TOPIC
from dynid.recording.bag_writer import BagWriter
from dynid_ros.executor import run
from dynid_ros.interface_types import StateTopics
from dynid_ros.managed_node import ManagedNode
from dynid_ros.node import ERROR, OK, WARN
from dynid_ros.qos import LATCHED
from dynid_ros.topic_reader import TopicReader

if TYPE_CHECKING:
    from rclpy.parameter import Parameter

_TAKE = 0.005  # [s] between reads, also the resolution of simulated time
_DISCOVERY_PERIOD = 0.1  # [s] between checks for new publishers
_FLUSH_PERIOD = 1.0  # [s] between flushes: data that a killed process may lose


@dataclass(frozen=True)
class Session:
    """One recording in progress."""

    output: str
    bag: BagWriter
    reader: TopicReader
    troubles: list[str] = field(default_factory=list)

    def write(self) -> None:
        """Write the received messages to the bag."""
        for topic, receive_time, message in self.reader.take():
            self.bag.write(topic, receive_time, message)

    def subscribe_to_new_topics(self) -> None:
        """Subscribe to topics with new publishers."""
        for offer in self.reader.offers():
            self.bag.add_topic(offer.topic, offer.kind, offer.qos, offer.digest)
            self.reader.subscribe(offer)

    def summary(self) -> str:
        """Return a summary of recorded and lost messages."""
        bag, reader = self.bag, self.reader
        parts = [f"{bag.messages} messages in {bag.duration:.1f} s to {self.output}"]
        parts[0] += f" ({_megabytes(bag.size)})"
        parts += [text for completeness in reader.completeness if (text := completeness.sentence())]
        parts += [f"losses on {topic} are unknown" for topic in sorted(reader.unchecked)]
        parts += self.silent()
        return "; ".join([*parts, *self.troubles])

    @property
    def missing(self) -> int:
        """Number of missing messages of all topics."""
        return sum(completeness.missing for completeness in self.reader.completeness)

    def completeness_json(self) -> str:
        """Return what is missing of each topic, as JSON."""
        return json_text({"output": self.output, "topics": self.reader.completeness})

    def silent(self) -> list[str]:
        """Return a sentence for each topic without a message."""
        silent = [topic for topic, count in self.bag.counts.items() if not count]
        return [f"no message arrived on {topic}" for topic in silent] + [
            f"no message arrived on {topic} (it has no publisher)" for topic in self.reader.waiting
        ]


class Recorder(ManagedNode):
    """Records from ``~/start`` to ``~/stop``; publishes its state."""

    ending = "completing the bag"

    def __init__(self, **options: Any) -> None:
        super().__init__("recorder", **options)
        self.parameter("output", "", "Folder to create for the next recording.")
        self.parameter("topics", [DEFAULT_TOPIC], "Names of the topics of the next recording.")
        at_once = self.fixed(
            "start_at_once",
            False,
            "Whether a recording starts and ends with the node, without its services.",
        )
        self.add_on_set_parameters_callback(self._settle_parameters)
        self._session: Session | None = None
        self._failure = ""
        self._figures: dict[str, object] = {}
        self._state = StateTopics(self)
        self._recorded = self.create_publisher(String, "~/recorded", LATCHED)
        self._steps = [
            self.create_timer(period, step, clock=self.steady, autostart=False)
            for period, step in (
                (_TAKE, self._write),
                (_DISCOVERY_PERIOD, self._subscribe_to_new_topics),
                (_FLUSH_PERIOD, self._flush),
            )
        ]
        self.create_service(Trigger, "~/start", self.answering(self.start))
        self.create_service(Trigger, "~/stop", self.answering(self.stop))
        self._publish_status("inactive", OK)
        self.bring_up()
        if at_once:
            self.get_logger().info(self.start())

    def activated(self) -> None:
        """Report that a recording can start."""
        self._publish_status("idle", OK)

    def deactivated(self) -> None:
        """Complete the bag of a recording.

        Raises:
            RecordingError: it cannot be completed.
        """
        self.finish()
        if not self._failure:
            self._publish_status("inactive", OK)

    def start(self) -> str:
        """Start a recording.

        Raises:
            DynidError: it cannot start; nothing has changed.
        """
        self.refuse_unless_active()
        if self._session:
            raise RecordingError(
                f"{self._session.output} is being recorded; call ~/stop before the next recording."
            )
        output = self.current("output", str)
        if not output:
            raise RecordingError(
                "parameter 'output' of recorder is empty; it must be the folder to create."
            )
        topics = self._topics()
        simulated = self.current("use_sim_time", bool)
        if simulated and not self.get_clock().now().nanoseconds:
            raise RecordingError(
                "use_sim_time is set but no time arrived on /clock; start the simulation first."
            )
        bag = BagWriter(Path(output).expanduser(), output)
        session = Session(output, bag, TopicReader(self, topics, simulated=simulated))
        try:
            session.subscribe_to_new_topics()
            session.bag.flush()  # detects a full disk before the robot moves
        except RecordingError:
            session.reader.close()
            session.bag.discard()
            raise
        self._session = session
        for timer in self._steps:
            timer.reset()
        self._publish_status("recording", OK, output=output)
        message = f"recording {', '.join(topics)} to {output}"
        if session.reader.waiting:
            message += f"; no publisher yet on {', '.join(session.reader.waiting)}"
        return message

    def stop(self) -> str:
        """End the recording with all messages sent until now, and return a summary.

        Raises:
            RecordingError: there is no recording, no message arrived, or the disk is full.
        """
        session = self._session
        if not session:
            raise RecordingError(
                f"nothing is being recorded ({self._failure or 'call ~/start first'})."
            )
        try:
            session.write()
            if not session.bag.messages:
                session.bag.discard()
                raise RecordingError(f"{session.output}: {'; '.join(session.silent())}.")
            session.bag.close()
        except RecordingError as error:
            raise self._fail(session, error) from None
        summary = session.summary()
        level = WARN if session.missing or session.silent() else OK
        self._recorded.publish(String(data=session.completeness_json()))
        self._end(session)
        self._publish_status("idle", level, recorded=summary)
        return summary

    def measured(self) -> dict[str, object]:
        """Return figures of the current recording, else of the last one."""
        session = self._session
        if session:
            self._figures = {
                "messages": session.bag.messages,
                "bytes": session.bag.size,
                "missing": session.missing,
                "lost": session.reader.lost,
                "duration": f"{session.bag.duration:.3f}",
            }
        return self._figures

    def finish(self) -> None:
        """Complete the bag.

        Raises:
            RecordingError: it cannot be completed.
        """
        session = self._session
        if session is None:
            return
        try:
            self.get_logger().info(self.stop())
        except RecordingError as error:
            if session.bag.messages:
                raise
            self.get_logger().warning(str(error))  # there was nothing to complete

    def _write(self) -> None:
        self._step(Session.write)

    def _flush(self) -> None:
        self._step(lambda session: session.bag.flush())

    def _step(self, action: Any) -> None:
        if not self._session:
            return
        try:
            action(self._session)
        except RecordingError as error:
            self.get_logger().error(str(self._fail(self._session, error)))

    def _subscribe_to_new_topics(self) -> None:
        if not self._session or not self._session.reader.waiting:
            return
        try:
            self._session.subscribe_to_new_topics()
        except RecordingError as error:  # of one topic: the others continue
            self._session.troubles.append(str(error).rstrip("."))
            self._publish_status("recording", WARN, trouble=str(error))
            self.get_logger().error(str(error))

    def _fail(self, session: Session, error: RecordingError) -> RecordingError:
        """Abort a recording; data on disk stay."""
        self._failure = str(error).rstrip(".")
        if session.bag.messages:
            self._failure += f"; {_megabytes(session.bag.size)} written before can be read"
        self._end(session)
        self._publish_status(f"failed: {self._failure}.", ERROR)
        return RecordingError(f"{self._failure}.")

    def _end(self, session: Session) -> None:
        self.measured()
        self._session = None
        for timer in self._steps:
            timer.cancel()
        session.reader.close()

    def _publish_status(self, state: str, level: bytes, **values: object) -> None:
        if not state.startswith("failed"):
            self._failure = ""
        self._state.publish(state)
        self.health(level, state, **values)

    def _topics(self) -> list[str]:
        names = list(dict.fromkeys(self.current("topics", list)))
        if not names:
            raise RecordingError(
                "parameter 'topics' of recorder is empty; it must name at least one topic."
            )
        try:
            return [
                self.resolve_topic_name(
                    expand_topic_name(name, self.get_name(), self.get_namespace())
                )
                for name in names
            ]
        except (ValueError, RuntimeError) as error:
            reason = str(error).partition(", at ")[0]
            raise RecordingError(f"parameter 'topics' of recorder: {reason}.") from None

    def _settle_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        late = [change.name for change in changes if change.name in ("output", "topics")]
        if not self._session or not late:
            return SetParametersResult(successful=True)
        return SetParametersResult(
            successful=False,
            reason=f"{late[0]} is for the next recording; {self._session.output} is being "
            "recorded, call ~/stop first.",
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


main = partial(run, Recorder, in_time=True)
