"""All raw messages of topics, with their times and a count of lost ones."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rclpy
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from dynid.errors import RecordingError
from dynid.recording.sequence import SequenceCheck
from dynid_ros.qos import STATE_DEPTH, complete

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rclpy.duration import Duration
    from rclpy.qos import QoSProfile
    from rclpy.subscription import Subscription
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from dynid_ros.node import DynidNode


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
        # the leading underscore hides it; the owner has resolved all names
        self._node = rclpy.create_node(
            f"_{owner.get_name()}_reader",
            context=owner.context,
            namespace=owner.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        owner.hidden.append(self._node)
        self.waiting = list(topics)
        """Topics without a subscription, because they have no publisher yet."""
        self.unchecked: set[str] = set()
        """Topics whose losses are unknown: several publishers, or middleware without numbers."""
        self._subscriptions: dict[str, Subscription] = {}
        self._checks: dict[str, SequenceCheck] = {}

    @property
    def lost(self) -> dict[str, int]:
        """Number of published messages that did not arrive, by topic."""
        return {topic: check.missing for topic, check in self._checks.items()}

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
        self._subscriptions[topic] = self._node.create_subscription(
            _class_of(offer.kind), topic, _never_called, complete(offer.publishers), raw=True
        )
        self._checks[topic] = SequenceCheck()

    def take(self) -> Iterator[tuple[str, int, bytes]]:
        """Yield (topic, time of reception [ns], serialized message) of all received messages."""
        for topic, subscription in self._subscriptions.items():
            check = self._checks[topic]
            publishers = subscription.get_publisher_count()
            if publishers > 1:
                self.unchecked.add(topic)
                check.restart()
            # at most the queue's size, so that a fast publisher does not block the others
            for _ in range(STATE_DEPTH):
                with subscription.handle:
                    taken = subscription.handle.take_message(subscription.msg_type, True)
                if taken is None:
                    break
                message, information = taken
                number = information["publication_sequence_number"]
                if number is None:
                    self.unchecked.add(topic)
                elif publishers <= 1:
                    check.add(number)
                yield topic, self._time(information), message
            if not publishers:
                check.restart()

    def close(self) -> None:
        """Unsubscribe."""
        self._owner.hidden.remove(self._node)
        self._node.destroy_node()

    def _time(self, information: dict[str, Any]) -> int:
        # the middleware stores the time of arrival, but not in simulated time
        received: int = (
            self._clock.now().nanoseconds if self._simulated else information["received_timestamp"]
        )
        return received


def _never_called(_message: bytes) -> None:
    """Serve as the callback that a subscription requires."""


def _class_of(kind: str) -> type:
    package, _, name = kind.partition("/msg/")
    try:
        found: type = getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        raise RecordingError(
            f"message type {kind}: is not installed here; source the workspace that has "
            f"package {package}."
        ) from None
    return found


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
