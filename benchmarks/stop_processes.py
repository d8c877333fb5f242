"""The trials of stop_trials.py with processes, in real time: real kills and suspensions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dynid.arrays import Array
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.executor import make_executor
from dynid_ros.qos import LATCHED, STATES
from dynid_ros.trajectory_messages import start_ns

BOUND = 1.0 + 1.0 + 0.5  # [s] horizon, braking, margin
AT_REST = 0.02  # [rad/s or m/s]
PATIENCE = 60.0  # [s]
DECIMATION = 8  # joint states for one that is read: all of them would keep a core busy


class Observer(Node):
    """Receives joint states and the player's state, and calls its services."""

    def __init__(self) -> None:
        """Listen."""
        super().__init__("observer")
        self.stamps: list[int] = []
        self.velocity: list[Array] = []
        self.state = ""
        self._count = 0
        self.create_subscription(JointState, "/joint_states", self._take, STATES, raw=True)
        self.create_subscription(String, "/excitation_player/state", self._hear, LATCHED)
        self._callers = {
            name: self.create_client(Trigger, f"/excitation_player/{name}")
            for name in ("start", "stop")
        }
        self._spinning = make_executor()
        self._spinning.add_node(self)

    def until(self, condition: Callable[[], object], patience: float = PATIENCE) -> bool:
        """Wait for something; return whether it came."""
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                return False
            self._spinning.spin_once(timeout_sec=0.02)
        return True

    def wait(self, duration: float) -> None:
        """Let time pass [s]."""
        self.until(lambda: False, duration)

    def call(self, service: str) -> Trigger.Response | None:
        """Call a service of the player."""
        client = self._callers[service]
        if not self.until(client.service_is_ready):
            return None
        answer = client.call_async(Trigger.Request())
        return answer.result() if self.until(answer.done) else None

    @property
    def moves(self) -> bool:
        """Whether the robot was moving when it was last seen."""
        return bool(self.velocity) and float(np.abs(self.velocity[-1]).max()) > AT_REST

    def last_motion(self, since: int) -> float:
        """Robot's time from an instant [ns] to the last state that moves [s]."""
        moving = [
            stamp
            for stamp, velocity in zip(self.stamps, self.velocity, strict=True)
            if np.abs(velocity).max() > AT_REST
        ]
        return max(0.0, (moving[-1] - since) * 1e-9) if moving else 0.0

    def pass_until(self, instant: int) -> None:
        """Wait until the robot's time is at an instant [ns]; it may be late."""
        self.until(lambda: self.stamps and self.stamps[-1] > instant)

    def _take(self, raw: bytes) -> None:
        self._count += 1
        if self._count % DECIMATION:
            return
        message = deserialize_message(raw, JointState)
        self.stamps.append(start_ns(message))
        self.velocity.append(np.array(message.velocity))

    def _hear(self, message: String) -> None:
        self.state = message.data


Process = subprocess.Popen[bytes]


@contextmanager
def _node(module: str, *parameters: str) -> Iterator[Process]:
    given = [part for parameter in parameters for part in ("-p", parameter)]
    program = [sys.executable, "-m", f"dynid_ros.{module}", "--ros-args", *given]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def _event(kind: str, player: Process, robot: Process) -> tuple[Process, signal.Signals]:
    """Who gets the signal, and which."""
    return {
        "kill -9 player": (player, signal.SIGKILL),
        "suspend player": (player, signal.SIGSTOP),
        "suspend robot": (robot, signal.SIGSTOP),
    }[kind]


def _trial(name: str, kind: str, random: np.random.Generator) -> tuple[float, bool, str] | None:
    """Time to rest [s], whether the robot moved at the end, and the player's last state."""
    with ExitStack() as stack:
        robot = stack.enter_context(_node("simulated_robot", f"profile:={name}"))
        player = stack.enter_context(_node("excitation_player", f"profile:={name}"))
        observer = Observer()
        stack.callback(observer.destroy_node)
        started = observer.until(lambda: observer.state == "idle")
        answer = observer.call("start") if started else None
        if answer is None or not answer.success:
            sys.stderr.write(f"not started: {answer.message if answer else observer.state}\n")
            return None
        observer.until(lambda: observer.state == "playing")
        observer.wait(random.uniform(0.5, 6.0))
        process, number = _event(kind, player, robot)
        process.send_signal(number)
        since = time.time_ns()
        if number == signal.SIGSTOP:
            observer.wait(random.uniform(0.2, 5.0))
            process.send_signal(signal.SIGCONT)
        observer.pass_until(since + round(BOUND * 1e9))
        observer.until(lambda: observer.state.startswith(("aborted", "late")), 3.0)
        if kind != "kill -9 player" and not observer.state.startswith(("aborted", "late")):
            since = time.time_ns()
            observer.call("stop")  # the motion continued, as is allowed after a short suspension
            observer.pass_until(since + round(BOUND * 1e9))
        return observer.last_motion(since), observer.moves, observer.state


def real_trials(name: str, count: int, first_seed: int) -> None:
    """Print the table of trials with processes; each is in a ROS graph and a process of its own."""
    print(f"{name}, in real time: rest is to come within {BOUND:g} s of the robot's time")
    for kind in ("kill -9 player", "suspend player", "suspend robot"):
        number = count if kind.startswith("kill") else (count + 1) // 2
        done = [_in_process(name, kind, first_seed + k) for k in range(number)]
        seen = [one for one in done if one is not None]
        rest = [float(one[0]) for one in seen] or [np.nan]
        print(
            f"{kind:<16} {len(seen):>3} of {number} trials, to rest: median {np.median(rest):.2f}, "
            f"worst {max(rest):.2f} s; moving at the end: {sum(bool(one[1]) for one in seen)}",
            flush=True,
        )


def _in_process(name: str, kind: str, seed: int) -> list[Any] | None:
    """Result of one trial, or None."""
    command = [sys.executable, __file__, name, kind, str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    lines = ran.stdout.splitlines()
    result: list[Any] | None = json.loads(lines[-1]) if lines else None
    if result is None:
        print(f"  {kind}, seed {seed}: no result; {ran.stderr.strip().splitlines()[-1:]}")
    return result


def main() -> None:
    """Do the one trial that the command line names."""
    name, kind, seed = sys.argv[1:]
    enter_own_domain()
    rclpy.init()
    print(json.dumps(_trial(name, kind, np.random.default_rng(int(seed)))), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
