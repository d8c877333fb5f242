"""The reference of joint_trajectory_controller under renewed commands, beside one trajectory.

With ROS 2 and dynid sourced: ``python benchmarks/renewed_reference.py [robot] [rate]``. The player
moves a mock robot under controller_manager, a piece of the motion at a time. Printed is how far the
controller's reference is from the motion that was planned, at the same instants: its position,
velocity and acceleration. An instant is known but for a constant, because a controller samples at
the end of the cycle that it stamps: the constant that fits best is taken off.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import rclpy
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from dynid.arrays import Array
from dynid.playback.plan import make_plan
from dynid.playback.trajectory import Trajectory
from dynid.profile import load_robot
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.joint_values import to_ns
from dynid_ros.qos import LATCHED
from dynid_ros.trajectory_messages import start_ns

CONTROLLER = "/joint_trajectory_controller"
EXCITATION = Path(__file__).parents[1] / "test" / "launch" / "short_excitation.yaml"
OFFSETS = np.arange(-4e-3, 4e-3, 2e-5)  # [s]


class Watcher:
    """Stores the controller's messages on its reference while a motion is played."""

    def __init__(self) -> None:
        """Listen."""
        self.node = rclpy.create_node("watcher")
        self.state = ""
        self.starts: list[int] = []
        self.rows: list[JointTrajectoryControllerState] = []
        make = self.node.create_subscription
        make(String, "/excitation_player/state", self._take_state, LATCHED)
        self.listening = False
        queue = QoSProfile(depth=5000)
        make(
            JointTrajectoryControllerState, f"{CONTROLLER}/controller_state", self._take_row, queue
        )
        self.start = self.node.create_client(Trigger, "/excitation_player/start")

    def until(self, *states: str) -> None:
        """Wait for a state of the player."""
        deadline = time.monotonic() + 120
        while self.state not in states:
            if time.monotonic() > deadline or self.state.startswith(("aborted", "late")):
                raise SystemExit(f"no {states}: {self.state}")
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def _take_state(self, message: String) -> None:
        self.state = message.data

    def _take_command(self, message: JointTrajectory) -> None:
        self.starts.append(start_ns(message))

    def _take_row(self, message: JointTrajectoryControllerState) -> None:
        if not self.listening:  # before that, the player would take this for a controller
            self.listening = True
            topic = f"{CONTROLLER}/joint_trajectory"
            self.node.create_subscription(JointTrajectory, topic, self._take_command, 50)
        if self.state in {"playing", "settling"}:
            self.rows.append(message)


def compare(watcher: Watcher, motion: Trajectory) -> None:
    """Print how far the references are from the motion."""
    begin = watcher.starts[-1]
    order = [watcher.rows[0].joint_names.index(joint) for joint in motion.joints]
    time = np.array([(to_ns(row.header.stamp) - begin) * 1e-9 for row in watcher.rows])
    inside = (time > 0.02) & (time < motion.duration - 0.02)

    def column(name: str) -> Array:
        rows = np.array([getattr(row.reference, name) for row in watcher.rows])
        return rows[inside][:, order]

    position = column("positions")

    def distance(offset: float) -> Array:
        return position - motion.evaluate(time[inside] + offset).position

    best = min(OFFSETS, key=lambda offset: float((distance(offset) ** 2).sum()))
    slope = motion.evaluate(time[inside] + best).velocity
    best -= float((distance(best) * slope).sum() / (slope**2).sum())
    planned = motion.evaluate(time[inside] + best)
    print(
        f"{inside.sum()} references over {motion.duration:g} s, {len(set(watcher.starts))} stamps"
    )
    print(f"{len(watcher.starts)} messages; sampled {best * 1e3:.3f} ms after the stamp")
    for name, there in zip(
        ("positions", "velocities", "accelerations"),
        (planned.position, planned.velocity, planned.acceleration),
        strict=True,
    ):
        off = np.abs(column(name) - there).max(axis=1)
        print(
            f"{name:<14} largest {np.abs(there).max():9.3g}, off by at most {off.max():.2g} "
            f"(median {np.median(off):.2g}), at {time[inside][off.argmax()]:.3f} s"
        )


def main() -> None:
    """Launch a robot and a player, play once, compare."""
    robot = sys.argv[1] if len(sys.argv) > 1 else "puma560"
    rate = sys.argv[2] if len(sys.argv) > 2 else "1000"
    enter_own_domain()
    launch = ["ros2", "launch", "dynid", "robot.launch.py", f"robot:={robot}", f"rate:={rate}"]
    launch += ["ros2_control:=true", "hardware:=mock"]
    player = ["ros2", "run", "dynid", "excitation_player", "--ros-args"]
    player += ["-p", f"profile:={robot}", "-p", f"excitation:={EXCITATION}"]
    player += ["-p", "interface:=topic", "-p", "supervise_torque:=false"]
    processes = [subprocess.Popen(command, start_new_session=True) for command in (launch, player)]
    try:
        rclpy.init()
        watcher = Watcher()
        watcher.until("idle")
        watcher.start.wait_for_service()
        watcher.start.call_async(Trigger.Request())
        watcher.until("playing")
        watcher.until("finished")
        compare(watcher, make_plan(load_robot(robot), excitation=EXCITATION).trajectory)
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGINT)  # ros2 run leaves Ctrl-C to what it runs
        for process in processes:
            process.wait()


if __name__ == "__main__":
    main()
