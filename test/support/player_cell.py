"""A robot and the node that plays on it, in one process."""

from __future__ import annotations

import json

from std_msgs.msg import String

from dynid_ros.excitation_player import ExcitationPlayer
from dynid_ros.qos import LATCHED
from support.fake_robot import FakeRobot

START = (0.0, -1.5, 1.5, 0.5, 0.0, 0.0)
SINE = {
    "type": "sine",
    "start": list(START),
    "target": [0.2, -1.4, 1.3, 0.8, 0.3, -0.3],
    "frequency": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    "duration": 0.6,
    "ramp": 0.4,
}
PLAYER = "/excitation_player"
TRAJECTORIES = "/joint_trajectory_controller/joint_trajectory"


class Cell:
    """A robot and its player, with the states that the player has published."""

    def __init__(self, graph, folder, third_joint="joint_3", **parameters) -> None:
        self.graph, self._folder = graph, folder
        self.robot = graph.start(FakeRobot)
        self.robot.names[2] = third_joint
        parameters = {"excitation": excitation(folder), "move_fraction": 1.0, **parameters}
        self.player = graph.start(ExcitationPlayer, **parameters)
        received = graph.listen(String, f"{PLAYER}/state", LATCHED)
        self.states = StateList(received)
        graph.until(lambda: self.player.count_subscribers(TRAJECTORIES) and received)
        graph.until(lambda: self.player.count_publishers("/joint_states"))
        graph.until(lambda: self.robot.count_subscribers("/joint_states"))
        self.watch()

    def watch(self) -> None:
        """Give the player more states than it needs to detect rest."""
        enough = self.robot.count + 60
        self.graph.until(lambda: self.robot.count > enough)

    def call(self, service: str) -> tuple[bool, str]:
        answer = self.graph.call(f"{PLAYER}/{service}")
        return answer.success, answer.message

    def until(self, state: str) -> str:
        self.graph.until(lambda: self.states.last.startswith(state))
        return self.states.last

    def published(self) -> list[str]:
        """Return the states since the first joint state; a subscriber may miss earlier ones."""
        return [state for state in self.states.all if state != "waiting"]

    def playing(self) -> Cell:
        """Return the cell in the middle of an excitation that is long enough for any test."""
        excitation(self._folder, duration=60.0)
        assert self.call("start")[0]
        self.until("playing")
        self.graph.spin(0.4)
        return self

    def refused(self, service: str = "start") -> str:
        """Return the message of a refusal, and check that nothing has moved."""
        success, message = self.call(service)
        assert not success
        assert message.endswith((".", "?"))
        self.graph.spin(0.3)
        assert not self.robot.received
        assert self.states.last in {"waiting", "idle"}
        return message


class StateList:
    def __init__(self, received: list[String]) -> None:
        self._received = received

    @property
    def all(self) -> list[str]:
        return [message.data for message in self._received]

    @property
    def last(self) -> str:
        return self._received[-1].data if self._received else ""


def excitation(folder, **changes) -> str:
    file = folder / "sine.yaml"
    file.write_text(json.dumps({"excitation": {**SINE, **changes}}))
    return str(file)
