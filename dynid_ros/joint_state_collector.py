"""Complete collection of live joint states in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.recording.jointstate import JOINT_STATE
from dynid.recording.live import LiveMessages
from dynid_ros.qos import complete
from dynid_ros.topic_reader import Offer, TopicReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid_ros.node import DynidNode

_READ_PERIOD = 0.1  # [s] between reads; a subscription stores half a second even at 10 kHz


class JointStateCollector:
    """Subscribes to one topic from the start on, so that a replayed bag arrives completely."""

    def __init__(
        self, node: DynidNode, topic: str, *, longest: float, ended: Callable[[], None]
    ) -> None:
        """Start to collect.

        Args:
            node: node with the clock and the names.
            topic: full name.
            longest: longest time to collect [s].
            ended: called when collecting ends by itself; ``messages.full`` is the reason.
        """
        self.messages = LiveMessages(topic, longest=longest)
        self.topic = topic
        self._node = node
        self._ended = ended
        self._reader: TopicReader | None = None
        self._reliability: object = None
        self._subscribe()
        self._timer = node.create_timer(_READ_PERIOD, self._update, clock=node.steady)

    @property
    def active(self) -> bool:
        """Whether messages are still collected."""
        return self._reader is not None

    @property
    def publishers(self) -> int:
        """Number of publishers now."""
        return int(self._node.count_publishers(self.topic))

    def stop(self) -> None:
        """Collect the messages received until now, and stop."""
        if self._reader is None:
            return
        self._read_messages(self._reader)
        self._node.destroy_timer(self._timer)
        self._reader.close()
        self._reader = None

    def _update(self) -> None:
        if self._reader is None:
            return
        self._read_messages(self._reader)
        if self.messages.full:
            self.stop()
            self._ended()
        elif not len(self.messages) and self._suitable() != self._reliability:
            self._reader.close()  # nothing arrives from a new publisher that is not reliable
            self._subscribe()

    def _subscribe(self) -> None:
        """Subscribe also before there is a publisher, so that the first message is not missed."""
        simulated = self._node.current("use_sim_time", bool)
        self._reader = TopicReader(self._node, [self.topic], simulated=simulated)
        publishers = tuple(self._node.get_publishers_info_by_topic(self.topic))
        self._reliability = self._suitable()
        self._reader.subscribe(Offer(self.topic, JOINT_STATE, "", publishers))

    def _suitable(self) -> object:
        """Return the reliability that receives every message of the present publishers."""
        return complete(self._node.get_publishers_info_by_topic(self.topic)).reliability

    def _read_messages(self, reader: TopicReader) -> None:
        for _, receive_time, raw in reader.take():
            self.messages.add(receive_time, raw)
        self.messages.lost = reader.lost
