"""The recorder in a separate process: lost messages and resources."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import rclpy
from mcap.reader import make_reader
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from dynid.recording.load import load_recording
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.qos import STATES

if TYPE_CHECKING:
    from rclpy.node import Node

_TICKS = os.sysconf("SC_CLK_TCK")


class Publisher:
    """Joint states at an even rate, numbered by their stamps."""

    def __init__(self, node: Node, joints: int, rate: float) -> None:
        self._node = node
        self._publisher = node.create_publisher(JointState, "/joint_states", STATES)
        self._rate = rate
        self.joints = [f"joint_{number}" for number in range(1, joints + 1)]
        random = np.random.default_rng(1)
        self._message = JointState(
            name=self.joints,
            position=random.standard_normal(joints),
            velocity=random.standard_normal(joints),
            effort=random.standard_normal(joints),
        )
        self.published = 0
        self.latest = 0.0

    def wait(self) -> None:
        """Wait for the recorder; the first message counts too."""
        deadline = time.monotonic() + 10.0
        while not self._publisher.get_subscription_count():
            if time.monotonic() > deadline:
                raise TimeoutError("the recorder did not subscribe")
            time.sleep(0.01)
        time.sleep(0.5)  # the other side's agreement cannot be seen from here

    def close(self) -> None:
        """Leave the topic to the next one."""
        self._node.destroy_publisher(self._publisher)

    def run(self, duration: float) -> None:
        """Publish for a time [s]."""
        start = time.perf_counter()
        for number in range(round(duration * self._rate)):
            due = start + number / self._rate
            left = due - time.perf_counter()
            if left > 0:
                time.sleep(left)
            self.latest = max(self.latest, -left)
            stamp = round(
                number / self._rate * 1e9
            )  # even, so that nothing is resampled on reading
            self._message.header.stamp.sec, self._message.header.stamp.nanosec = divmod(
                stamp, 10**9
            )
            self._publisher.publish(self._message)
            self.published += 1


def main() -> None:
    """Measure a whole recording, then ones that are killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duration", type=float, default=60.0, help="[s]")
    parser.add_argument("--joints", type=int, default=12)
    parser.add_argument("--rate", type=float, default=1000.0, help="[Hz]")
    parser.add_argument("--kills", type=int, default=5, help="recordings to kill")
    options = parser.parse_args()
    enter_own_domain()
    rclpy.init()
    node = rclpy.create_node("bench_recorder")
    with tempfile.TemporaryDirectory() as folder:
        _whole(node, Path(folder) / "whole", options)
        for number in range(options.kills):
            _killed(node, Path(folder) / f"killed_{number}", options)
    rclpy.shutdown()


def _whole(node: Node, bag: Path, options: argparse.Namespace) -> None:
    recorder = _recorder(bag)
    publisher = Publisher(node, options.joints, options.rate)
    _call(node, bag.name, "start")
    publisher.wait()
    cpu = _cpu(recorder.pid)
    publisher.run(options.duration)
    answer = _call(node, bag.name, "stop")
    cpu = _cpu(recorder.pid) - cpu
    memory = _memory(recorder.pid)
    recorder.send_signal(signal.SIGINT)
    recorder.wait(10)
    publisher.close()
    with Reader(bag) as reader:
        recorded = reader.message_count
    file = bag / f"{bag.name}.mcap"
    with file.open("rb") as stream:
        by_mcap = sum(1 for _ in make_reader(stream).iter_messages())
    size = file.stat().st_size
    lines = (
        f"{options.rate:.0f} Hz x {options.joints} joints x {options.duration:.0f} s: {answer}",
        f"published {publisher.published}, late by up to {publisher.latest * 1e3:.1f} ms",
        f"recorded {recorded} (mcap library: {by_mcap}), lost {publisher.published - recorded}",
        f"recorder: {cpu / options.duration:.1%} of a core, {memory / 1024:.0f} MiB at most",
        f"bag: {size / 1e6:.1f} MB, {size / recorded:.0f} bytes per message",
    )
    print("\n".join(lines))


def _killed(node: Node, bag: Path, options: argparse.Namespace) -> None:
    recorder = _recorder(bag)
    publisher = Publisher(node, options.joints, options.rate)
    _call(node, bag.name, "start")
    publisher.wait()
    publisher.run(3.0 + np.random.default_rng().random())
    recorder.kill()
    recorder.wait(10)
    publisher.close()
    recording = load_recording(bag, publisher.joints)
    read = len(recording.time)
    lost = (publisher.published - read) / options.rate
    print(f"killed: {read} of {publisher.published} can be read, the last {lost:.2f} s are lost")
    print(f"  {recording.repairs[0]}")


def _recorder(bag: Path) -> subprocess.Popen[bytes]:
    # named by its bag, since one that was killed is thought to live for a while
    options = ["-r", f"__node:={bag.name}", "-p", f"output:={bag}"]
    program = [sys.executable, "-m", "dynid_ros.programs", "recorder"]
    return subprocess.Popen([*program, "--ros-args", *options])


def _call(node: Node, recorder: str, name: str) -> str:
    client = node.create_client(Trigger, f"/{recorder}/{name}")
    client.wait_for_service(20.0)
    future = client.call_async(Trigger.Request())
    rclpy.spin_until_future_complete(node, future, timeout_sec=20.0)
    answer = future.result()
    if not answer or not answer.success:
        raise RuntimeError(f"/{recorder}/{name}: {answer.message if answer else 'no answer'}")
    node.destroy_client(client)
    return str(answer.message)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    main()
