"""Nodes of dynid as processes of one group, as in a terminal, and a peer that observes them."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from dynid_ros.qos import DIAGNOSTICS, LATCHED, MONITORED
from support.small_robot import write_small_robot

if TYPE_CHECKING:
    from support.ros_graph import Graph

MOVES = 0.5  # [rad/s]
RESTS = 0.02  # [rad/s], more than the sensors' noise
GROUP = Path(__file__).with_name("process_group.py")


def node_program(name: str, **parameters: object) -> list[str]:
    """The module of a node, and its arguments for parameters."""
    given = [f"{key}:={json.dumps(value)}" for key, value in parameters.items()]
    ros = ["--ros-args", *(word for one in given for word in ("-p", one))] if given else []
    return [f"dynid_ros.{name}", *ros]


class NodeProcesses:
    """Used in a ``with`` block, which leaves no process behind."""

    def __init__(
        self, graph: Graph, folder: Path, nodes: dict[str, list[str]], *, terminal: bool = False
    ) -> None:
        """Start them; with ``terminal`` on one that can be closed."""
        self.graph, self._folder = graph, folder
        self._codes, self.log = folder / "codes.json", folder / "log.txt"
        self._master: int | None = None
        words = [sys.executable, str(GROUP), str(self._codes), json.dumps(nodes)]
        self._state: JointState | None = None
        self.player = graph.listen(String, "/excitation_player/state", LATCHED)
        graph.peer.create_subscription(JointState, "/joint_states", self._take, MONITORED)
        self._health = graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        if terminal:
            self._master, slave = pty.openpty()
            streams = {"stdin": slave, "stdout": slave, "stderr": slave}
            self._leader = subprocess.Popen(
                [*words, "--terminal"], start_new_session=True, **streams
            )
            os.close(slave)
        else:
            with self.log.open("wb") as log:
                self._leader = subprocess.Popen(
                    words, start_new_session=True, stdout=log, stderr=subprocess.STDOUT
                )
        graph.until(self._codes.with_suffix(".pids").exists)
        self.pids: dict[str, int] = json.loads(self._codes.with_suffix(".pids").read_text())

    def __enter__(self) -> NodeProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        if self._leader.poll() is None:
            os.killpg(self._leader.pid, signal.SIGKILL)
            self._leader.wait()
        if self._master is not None:
            os.close(self._master)

    @property
    def speed(self) -> float:
        """Of the fastest joint when the robot was last seen [rad/s]; 0 before."""
        return max(map(abs, self._state.velocity)) if self._state else 0.0

    @property
    def too_slow(self) -> bool:
        """Whether the robot reports that this machine is too slow, so that its time is late.

        It then comes to rest after the timeout of other nodes.
        """
        return any("too slow" in one.message for array in self._health for one in array.status)

    def until_playing(self) -> None:
        """Wait until the robot moves along its excitation."""
        self.graph.until(
            lambda: self.player and self.player[-1].data == "playing" and self.speed > MOVES
        )

    def signal(self, *numbers: signal.Signals) -> None:
        """Send signals to the group, the first two within milliseconds."""
        for at, number in enumerate(numbers):
            os.killpg(self._leader.pid, number)
            self.graph.spin(0.002 if at == 0 else 0.3)

    def close_terminal(self) -> None:
        """As a user closes its window; the kernel sends SIGHUP."""
        assert self._master is not None
        os.close(self._master)
        self._master = None

    def ended(self) -> dict[str, int]:
        """The exit code of each process, once all have ended."""
        self.graph.until(lambda: self._leader.poll() is not None)
        return json.loads(self._codes.read_text())

    def _take(self, state: JointState) -> None:
        self._state = state
        self._drain()

    def _drain(self) -> None:
        """Read the output of the processes to their terminal, which would block them otherwise."""
        while self._master is not None and select.select([self._master], [], [], 0.0)[0]:
            os.read(self._master, 65536)


def begin_identification(graph: Graph, folder: Path, *, terminal: bool = False) -> NodeProcesses:
    """Everything that identifies the small robot once, into ``folder``/out."""
    profile = str(write_small_robot(folder))
    nodes = {
        "simulated_robot": node_program("simulated_robot", profile=profile),
        # this machine may be busy
        "excitation_player": node_program(
            "excitation_player",
            profile=profile,
            move_fraction=1.0,
            settle_time=0.1,
            horizon=5.0,
            max_age=5.0,
        ),
        "recorder": node_program("recorder"),
        "identifier": node_program("identifier", profile=profile),
        "identification_task": node_program(
            "identification_task", output=str(folder / "out"), validation_seed=-1
        ),
    }
    return NodeProcesses(graph, folder, nodes, terminal=terminal)
