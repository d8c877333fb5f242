"""All raw messages of topics, with their times and a count of lost ones."""

from __future__ import annotations

import importlib
import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from dynid.errors import RecordingError
from dynid.recording.completeness import Completeness, SequenceCheck, StampCheck
from dynid_ros.qos import STATE_DEPTH, complete

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rclpy.duration import Duration
    from rclpy.node import Node
    from rclpy.qos import QoSProfile
    from rclpy.subscription import Subscription
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from dynid_ros.node import DynidNode


def subscribe_unspun(node: Node, kind: type, topic: str, qos: QoSProfile) -> Subscription:
    """Subscribe on a node that no executor spins, to raw messages of a topic."""
    return node.create_subscription(kind, topic, _never_called, qos, raw=True)


def take_raw(subscription: Subscription) -> tuple[bytes, dict[str, Any]] | None:
    """Return the next serialized message and what the middleware knows of it, or None."""
    with subscription.handle:
        taken: tuple[bytes, dict[str, Any]] | None = subscription.handle.take_message(
            subscription.msg_type, True
        )
    return taken


def _never_called(_message: bytes) -> None:
    """Serve as the callback that a subscription requires."""


@dataclass(frozen=True)
class Offer:
    """Publishers of a topic: type, the hash of its definition, and QoS."""

    topic: str
    kind: str
    digest: str
    publishers: tuple[TopicEndpointInfo, ...]

    @property
    def qos(self) -> list[Qos]:
        """The quality of service of each publisher, as stored in a bag."""
        return [_kept(publisher.qos_profile) for publisher in self.publishers]


@dataclass(frozen=True)
class _Topic:
    """A subscription, and the checks of its messages; ``stamps`` is None without a header."""

    subscription: Subscription
    sequence: SequenceCheck
    stamps: StampCheck | None


class TopicReader:
    """Subscribes on a node that is not spun, and takes messages from the subscriptions.

    An executor would pass the messages one by one, at ten times the cost, and rclpy 7.1's
    EventsExecutor cannot pass their times and numbers.
    """

    def __init__(self, owner: DynidNode, topics: Sequence[str], *, simulated: bool) -> None:
        """Wait for publishers of topics, on behalf of a node.

        Args:
            owner: node with the clock and the names.
            topics: full names.
            simulated: whether the clock is not that of the middleware.
        """
        self._owner = owner
        self._clock = owner.get_clock()
        self._simulated = simulated
        self._node = owner.make_unspun("reader")
        self.waiting = list(topics)
        """Topics without a subscription, because they have no publisher yet."""
        self.unchecked: set[str] = set()
        """Topics whose losses are unknown: several publishers, or middleware without numbers."""
        self._topics: dict[str, _Topic] = {}
        self._received: Counter[str] = Counter()

    @property
    def completeness(self) -> list[Completeness]:
        """What is missing of each topic."""
        return [self._completeness(name, topic) for name, topic in self._topics.items()]

    @property
    def lost(self) -> int:
        """Number of published messages that did not arrive, of all topics."""
        return sum(topic.sequence.missing for topic in self._topics.values())

    def _completeness(self, name: str, topic: _Topic) -> Completeness:
        received, lost, stamps = self._received[name], topic.sequence.missing, topic.stamps
        if stamps is None or name in self.unchecked:
            return Completeness(name, received, lost, lost)
        missing = max(stamps.missing, lost)
        gap = (stamps.longest_gap, stamps.gap_at)
        return Completeness(name, received, missing, lost, *gap, stamps.longest_wait)

    def offers(self) -> Iterator[Offer]:
        """Yield the new publishers of waiting topics.

        Raises:
            RecordingError: they contradict each other.
        """
        for topic in tuple(self.waiting):
            publishers = tuple(self._node.get_publishers_info_by_topic(topic))
            if not publishers:
                continue
            kinds = sorted({publisher.topic_type for publisher in publishers})
            if len(kinds) > 1:
                self.waiting.remove(topic)
                raise RecordingError(
                    f"topic {topic}: has publishers of different types ({', '.join(kinds)}); "
                    "they must agree."
                )
            digest = str(publishers[0].topic_type_hash)
            yield Offer(topic, kinds[0], digest if digest.startswith("RIHS") else "", publishers)

    def subscribe(self, offer: Offer) -> None:
        """Take the messages of a topic from now on.

        Raises:
            RecordingError: the type's package is not installed.
        """
        topic = offer.topic
        self.waiting.remove(topic)
        kind = _class_of(offer.kind)
        subscription = subscribe_unspun(self._node, kind, topic, complete(offer.publishers))
        stamps = StampCheck() if _has_header(kind) else None
        self._topics[topic] = _Topic(subscription, SequenceCheck(), stamps)

    def take(self) -> Iterator[tuple[str, int, bytes]]:
        """Yield (topic, time of reception [ns], serialized message) of all received messages."""
        for name, topic in self._topics.items():
            publishers = topic.subscription.get_publisher_count()
            if publishers > 1:
                self.unchecked.add(name)
                topic.sequence.restart()
            # at most the queue's size, so that a fast publisher does not block the others
            for _ in range(STATE_DEPTH):
                entry = take_raw(topic.subscription)
                if entry is None:
                    break
                message, information = entry
                received = self._time(information)
                self._received[name] += 1
                if topic.stamps is not None and (stamp_ns := _stamp_ns(message)):
                    topic.stamps.add(stamp_ns, received)
                number = information["publication_sequence_number"]
                if number is None:
                    self.unchecked.add(name)
                elif publishers <= 1:
                    topic.sequence.add(number)
                yield name, received, message
            if not publishers:
                topic.sequence.restart()

    def close(self) -> None:
        """Unsubscribe."""
        self._owner.unspun.remove(self._node)
        self._node.destroy_node()

    def _time(self, information: dict[str, Any]) -> int:
        # the middleware stores the time of arrival, but not in simulated time
        received: int = (
            self._clock.now().nanoseconds if self._simulated else information["received_timestamp"]
        )
        return received


def _class_of(kind: str) -> type:
    package, _, name = kind.partition("/msg/")
    try:
        message_class: type = getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        raise RecordingError(
            f"message type {kind}: is not installed here; source the workspace that has "
            f"package {package}."
        ) from None
    return message_class


def _has_header(kind: Any) -> bool:
    return next(iter(kind.get_fields_and_field_types().values()), "") == "std_msgs/Header"


def _stamp_ns(message: bytes) -> int:
    """Return the stamp in a serialized message that starts with a header [ns]."""
    # four bytes of CDR's own, the second of which is odd for little endian
    seconds, nanoseconds = struct.unpack_from("<iI" if message[1] & 1 else ">iI", message, 4)
    return int(seconds * 10**9 + nanoseconds)


def _kept(qos: QoSProfile) -> Qos:
    return Qos(
        history=QosHistory(int(qos.history)),
        depth=qos.depth,
        reliability=QosReliability(int(qos.reliability)),
        durability=QosDurability(int(qos.durability)),
        deadline=_time(qos.deadline),
        lifespan=_time(qos.lifespan),
        liveliness=QosLiveliness(int(qos.liveliness)),
        liveliness_lease_duration=_time(qos.liveliness_lease_duration),
        avoid_ros_namespace_conventions=qos.avoid_ros_namespace_conventions,
    )


def _time(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, 10**9))
