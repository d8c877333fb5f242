"""The online estimator with real topics."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.small_robot import JOINTS, write_small_robot

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import DynidError
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying, true_parameters
from dynid_ros.node import ERROR
from dynid_ros.online_estimator import OnlineEstimatorNode
from dynid_ros.qos import LATCHED, STATES

if TYPE_CHECKING:
    from pathlib import Path

    from support.ros_graph import Graph, SteppedGraph

MASS = 1.0


@pytest.fixture
def graph(stepped_graph: SteppedGraph) -> SteppedGraph:
    return stepped_graph


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """The small robot's profile, and recordings of one motion without and with a payload."""
    path = write_small_robot(tmp_path_factory.mktemp("duo"))
    small = load_robot(str(path))
    motion = make_plan(small).excitation
    loaded = carrying(small, MASS, [0.25, 0, 0], [2e-3, 0, 2e-3, 0, 0, 2e-3])
    bare = simulate(small, motion)
    return path, bare, simulate(loaded, motion, seed=1)


@pytest.mark.thorough
def test_parameters_are_true_within_their_uncertainties(graph: Graph, robot) -> None:
    path, bare, _ = robot
    small = load_robot(str(path))
    mechanism = small.mechanism()
    truth = base_parameterization(mechanism).project(
        true_parameters(mechanism, small.find(SimulationSettings))
    )
    source = Source(graph, path)
    source.publish_recording(bare, 0.0)
    found = source.newest()
    assert found["rows"] > 100
    assert set(found["torque_standard_deviation"]) == set(JOINTS)
    for one, true in zip(found["parameters"], truth, strict=True):
        assert abs(one["value"] - true) < 5 * one["standard_deviation"] + 0.02 * abs(true), one[
            "name"
        ]


def test_a_payload_picked_up_is_reported_with_its_mass(graph: Graph, robot) -> None:
    path, bare, loaded = robot
    source = Source(graph, path, learning=4.0)
    changes = graph.listen(String, "/online_estimator/change", LATCHED)
    source.publish_recording(bare, 0.0)
    assert not changes
    picked_up = source.publish_recording(loaded, source.end, rows=4000)
    graph.until(lambda: changes)
    change = json.loads(changes[0].data)
    assert change["kind"] == "picked up"
    assert change["mass"] == pytest.approx(
        MASS, abs=max(0.1, 4 * change["mass_standard_deviation"])
    )
    assert change["time"] == pytest.approx(picked_up, abs=1.5)
    graph.until(lambda: any("was picked up" in s.message for s in source.health()))


def test_invalid_messages_are_counted_and_skipped(graph: Graph, robot) -> None:
    path, bare, _ = robot
    source = Source(graph, path)
    source.publish_recording(bare, 0.0, rows=1500)
    source.send(source.end - 0.1, bare.position[0], bare.effort[0])  # late
    source.send(source.end + 0.001, [np.nan, 0.0], bare.effort[0])
    source.send(source.end + 0.9, bare.position[0], bare.effort[0])  # after a gap
    values = {v.key: v.value for v in source.status_where("gaps", "1").values}
    assert (values["stale"], values["not_finite"]) == ("1", "1")
    found = source.newest()
    assert all(
        np.isfinite([p["value"], p["standard_deviation"]]).all() for p in found["parameters"]
    )


def test_reports_that_the_sampling_rate_is_not_that_of_the_joint_states(
    graph: Graph, robot
) -> None:
    path, bare, _ = robot
    source = Source(graph, path, sampling_rate=10_000.0)
    source.publish_recording(bare, 0.0, rows=100)
    graph.until(lambda: any("set it to their rate" in s.message for s in source.health()))


def test_reports_joint_states_without_effort(graph: Graph, robot) -> None:
    source = Source(graph, robot[0])
    source.publisher.publish(JointState(name=list(JOINTS), position=[0.0, 0.0]))
    graph.until(lambda: any("lack the effort" in s.message for s in source.health()))
    assert source.health()[-1].level == ERROR


def thinned(recording):
    """Return every fifth sample of a recording at 1 kHz."""
    rows = {n: getattr(recording, n)[::5] for n in ("time", "position", "velocity", "effort")}
    return replace(recording, **rows, sampling_rate=200.0)


def test_a_velocity_of_the_wrong_sign_is_an_error_until_reset(graph: Graph, robot) -> None:
    path, bare, _ = robot
    source = Source(graph, path, sampling_rate=200.0, publish_rate=2.0)
    wrong = replace(thinned(bare), velocity=thinned(bare).velocity * [1.0, -1.0])
    for _ in range(4):  # 24 s; every 20 s are checked
        source.publish_recording(wrong, source.end)
    graph.until(lambda: any(s.level == ERROR for s in source.health()))
    message = source.health()[-1].message
    assert JOINTS[1] in message
    assert "recording.corrections" in message
    assert graph.call("/online_estimator/reset").success
    graph.until(lambda: source.health()[-1].level != ERROR)


@pytest.mark.thorough
def test_joint_states_that_agree_are_no_error(graph: Graph, robot) -> None:
    path, bare, _ = robot
    source = Source(graph, path, sampling_rate=200.0, publish_rate=2.0)
    for _ in range(4):
        source.publish_recording(thinned(bare), source.end)
    assert not any(s.level == ERROR for s in source.health())


def test_restarts_on_reset(graph: Graph, robot) -> None:
    path, bare, _ = robot
    source = Source(graph, path)
    source.publish_recording(bare, 0.0, rows=1500)
    assert graph.call("/online_estimator/reset").success
    graph.until(lambda: "no joint has moved" in source.health()[-1].message)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"profile": "pumpa"}, "profile 'pumpa': not shipped"),
        ({"model": "nowhere.yaml"}, "nowhere.yaml: there is no such file"),
        ({"sampling_rate": 0.0}, "parameter 'sampling_rate' of online_estimator"),
    ],
)
def test_refuses_to_start_with(graph: Graph, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DynidError, match=sentence):
        graph.start(OnlineEstimatorNode, **parameters)


class Source:
    """A robot that publishes joint states, with joints in another order than the profile's."""

    def __init__(self, graph: Graph, path: Path, **parameters: object) -> None:
        self.graph = graph
        self.health = graph.statuses("online_estimator")
        self.found = graph.listen(String, "/online_estimator/parameters", 10)
        self.publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
        settings = {"profile": str(path), "publish_rate": 20.0, **parameters}
        self._node = graph.start(OnlineEstimatorNode, **settings)
        graph.until(self.publisher.get_subscription_count)
        self.end, self._sent = 0.0, 0

    def send(self, time: float, position, effort, velocity=()) -> None:
        message = JointState(name=list(JOINTS)[::-1], velocity=list(velocity)[::-1])
        message.position, message.effort = list(position)[::-1], list(effort)[::-1]
        nanoseconds = round(1e9 * time)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(nanoseconds, 10**9)
        self.publisher.publish(message)

    def publish_recording(self, recording, begin: float, rows: int | None = None) -> float:
        """Publish a recording as fast as it is received, and return its start time."""
        for i in range(len(recording.time) if rows is None else rows):
            self.end = begin + 0.001 + recording.time[i]
            velocity = () if recording.velocity is None else recording.velocity[i]
            self.send(self.end, recording.position[i], recording.effort[i], velocity)
            self._sent += 1
            if i % 100 == 99:
                self.graph.until(lambda: self._node.measured()["messages"] == self._sent)
        return begin

    def newest(self) -> dict[str, Any]:
        received = len(self.found)
        self.graph.until(lambda: len(self.found) > received)
        return json.loads(self.found[-1].data)

    def status_where(self, key: str, value: str) -> Any:
        def match() -> list[Any]:
            return [
                s for s in self.health() if any((v.key, v.value) == (key, value) for v in s.values)
            ]

        self.graph.until(match)
        return match()[-1]
