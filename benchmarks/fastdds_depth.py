"""What a subscriber of Fast DDS gets that takes nothing while messages arrive.

    python benchmarks/fastdds_depth.py

A subscription of depth d that takes nothing while 12,000 messages are published should hold the
last d of them (KEEP_LAST). With rmw_fastrtps_cpp of ROS 2 Jazzy (Fast DDS 2.14) and Kilted (3.2) it
does up to a depth of 5000, the default of `resource_limits.max_samples`. Beyond that it holds the
first 5000 and rejects all newer ones: rmw_fastrtps raises the depth, but not that limit. Needs
rclpy alone.
"""

from __future__ import annotations

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Int32

PUBLISHED = 12_000
DEPTHS = (1000, 5000, 5001, 8000)


def received(depth: int, reliability: ReliabilityPolicy) -> list[int]:
    """Return the numbers of the messages that a subscription held."""
    node = rclpy.create_node("depth")
    numbers: list[int] = []

    def take(message: Int32) -> None:
        numbers.append(message.data)

    topic, qos = (
        f"/numbers_{depth}_{reliability.name}",
        QoSProfile(depth=depth, reliability=reliability),
    )
    node.create_subscription(Int32, topic, take, qos)
    publisher = node.create_publisher(Int32, topic, qos)
    while not publisher.get_subscription_count():
        rclpy.spin_once(node, timeout_sec=0.1)
    for number in range(PUBLISHED):
        publisher.publish(Int32(data=number))
    before = -1
    while len(numbers) != before:
        before = len(numbers)
        for _ in range(PUBLISHED):
            rclpy.spin_once(node, timeout_sec=0.0)
    node.destroy_node()
    return numbers


def main() -> None:
    """Print the table."""
    rclpy.init()
    print("depth  reliability  held  first   last  expected first")
    for depth in DEPTHS:
        for reliability in (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT):
            held = received(depth, reliability)
            expected = PUBLISHED - depth
            print(
                f"{depth:5d}  {reliability.name:11s} {len(held):5d} {held[0]:6d} {held[-1]:6d}"
                f"  {expected:6d}{'' if held[0] == expected else '  wrong'}"
            )
    rclpy.shutdown()


if __name__ == "__main__":
    main()
