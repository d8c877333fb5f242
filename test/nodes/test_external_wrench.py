"""The node external_wrench on exact joint states, and on those of the simulated robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from support.simulated_cell import Cell
from support.small_robot import write_small_robot

import dynid
from dynid.control.wrench.estimation import free_motion_uncertainty
from dynid.control.wrench.uncertainty import uncertainty_text
from dynid.errors import DynidError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid_ros.external_wrench import ExternalWrenchNode
from dynid_ros.node import ERROR
from dynid_ros.qos import LATCHED, MONITORED, STATES

if TYPE_CHECKING:
    from pathlib import Path

    from support.ros_graph import Graph, SteppedGraph

FORCE = np.array([6.0, -4.0, 9.0])  # [N] at the tool, in its axes
Q = np.array([0.4, 0.9, 0.8])
RATE = 200.0  # [Hz]


@pytest.fixture
def graph(stepped_graph: SteppedGraph) -> SteppedGraph:
    return stepped_graph


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dynid.Model]:
    """The model of spatial_3r, identified from its simulation, and its file."""
    robot = dynid.load_robot("spatial_3r")
    model = dynid.identify(robot, dynid.simulate(robot)).model
    path = tmp_path_factory.mktemp("arm") / "model.yaml"
    model.save(path)
    return path, model


class Listener:
    """A node external_wrench, and what it publishes."""

    def __init__(self, graph: Graph, **parameters: object) -> None:
        self.graph = graph
        kinds = ("wrench", "pure_force", "contact_force")
        self.wrenches: dict[str, list[WrenchStamped]] = {
            name: graph.listen(WrenchStamped, f"/external_wrench/{name}", MONITORED.depth)
            for kind in kinds
            for name in (kind, f"{kind}_deviation")
        }
        self.contacts: list[DiagnosticStatus] = graph.listen(
            DiagnosticStatus, "/external_wrench/contact", LATCHED
        )
        self.health = graph.statuses("external_wrench")
        self.states = graph.peer.create_publisher(JointState, "/joint_states", STATES)
        self.node = graph.start(ExternalWrenchNode, **parameters)
        graph.until(self.states.get_subscription_count)
        self._sent = 0
        self.period = 0  # of the states, their number since the first

    def publish(self, names: tuple[str, ...], position, effort, count: int) -> None:
        """Publish states at rest, in the opposite order of the joints."""
        for _ in range(count):
            message = JointState(name=list(names)[::-1])
            message.position = list(position)[::-1]
            message.velocity = [0.0] * len(names)
            message.effort = list(effort)[::-1]
            nanoseconds = 10**9 + round(1e9 * self.period / RATE)
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(nanoseconds, 10**9)
            self.states.publish(message)
            self._sent += 1
            self.period += 1
        self.graph.until(lambda: self.node.measured()["messages"] == self._sent)

    def newest(self, name: str) -> np.ndarray:
        before = len(self.wrenches[name])
        self.graph.until(lambda: len(self.wrenches[name]) > before + 1)
        wrench = self.wrenches[name][-1].wrench
        force, torque = wrench.force, wrench.torque
        return np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])

    def messages(self) -> list[str]:
        return [status.message for status in self.health()]


def exact_effort(model: dynid.Model, tool: str) -> np.ndarray:
    """Torques that hold the robot against gravity and the force, by pinocchio's Jacobian."""
    own = pinocchio.buildModelFromXML(model.robot.urdf_xml)
    data = own.createData()
    jacobian = pinocchio.computeFrameJacobian(
        own, data, Q, own.getFrameId(tool), pinocchio.ReferenceFrame.LOCAL
    )
    still = np.zeros(3)
    return model.inverse_dynamics(Q, still, still) - jacobian[:3].T @ FORCE


def test_a_force_is_published_with_its_deviation_and_the_link(graph: Graph, arm) -> None:
    path, model = arm
    tool = model.robot.kinematics().tool
    listener = Listener(graph, profile="spatial_3r", model=str(path), sampling_rate=RATE)
    effort = exact_effort(model, tool)
    listener.publish(model.robot.joints, Q, effort, 200)
    force, deviation = listener.newest("pure_force"), listener.newest("pure_force_deviation")
    # dry friction of the model is 0 at rest; its constant torques are part of it
    assert force[:3] == pytest.approx(FORCE, abs=1e-3)
    assert np.isnan(force[3:]).all()
    assert (deviation[:3] > 0).all()
    assert listener.wrenches["pure_force"][-1].header.frame_id == tool
    wrench = listener.newest("wrench")
    assert np.isnan(wrench).sum() >= 3, "three joints do not determine six components"
    graph.until(lambda: "contact on link_3" in listener.contacts[-1].message)
    values = {value.key: value.value for value in listener.contacts[-1].values}
    assert "link_3" in values["links"]
    assert float(values["ratio"]) > 1
    assert listener.newest("contact_force").shape == (6,)
    assert listener.wrenches["contact_force"][-1].header.frame_id in model.robot.urdf_xml


def test_without_force_there_is_no_contact(graph: Graph, arm) -> None:
    path, model = arm
    listener = Listener(graph, profile="spatial_3r", model=str(path), sampling_rate=RATE)
    still = np.zeros(3)
    listener.publish(model.robot.joints, Q, model.inverse_dynamics(Q, still, still), 200)
    assert listener.newest("pure_force")[:3] == pytest.approx(0.0, abs=1e-6)
    graph.until(lambda: listener.contacts[-1].message == "no contact")
    assert not listener.wrenches["contact_force"]
    graph.until(lambda: "no contact" in listener.messages())


def test_after_missing_values_or_a_gap_nothing_is_published_until_it_has_settled(
    graph: Graph, arm
) -> None:
    path, model = arm
    listener = Listener(graph, profile="spatial_3r", model=str(path), sampling_rate=RATE)
    joints, effort = model.robot.joints, exact_effort(model, model.robot.kinematics().tool)
    listener.publish(joints, Q, effort, 200)
    listener.newest("wrench")
    listener.publish(joints, Q, [np.nan, 0.0, 0.0], 3)
    assert listener.node.measured()["not_finite"] == 3
    assert np.isfinite(listener.newest("pure_force")[:3]).all()
    listener.period += 100  # a gap
    listener.publish(joints, Q, effort, 5)
    graph.until(lambda: listener.contacts[-1].message == "not known")
    assert listener.node.measured()["gaps"] == 1
    published = len(listener.wrenches["wrench"])
    graph.spin(0.1)
    assert len(listener.wrenches["wrench"]) == published
    graph.until(lambda: any("settles" in text for text in listener.messages()))


def test_reports_joint_states_without_velocity(graph: Graph, arm) -> None:
    path, model = arm
    listener = Listener(graph, profile="spatial_3r", model=str(path))
    listener.states.publish(
        JointState(name=list(model.robot.joints), position=[0.0] * 3, effort=[0.0] * 3)
    )
    graph.until(lambda: any("lack the velocity" in text for text in listener.messages()))
    assert any(one.level == ERROR for one in listener.health() if "velocity" in one.message)


def test_finds_a_push_on_the_simulated_robot_with_a_learned_uncertainty(
    graph: SteppedGraph, tmp_path: Path
) -> None:
    profile = write_small_robot(tmp_path)
    robot = dynid.load_robot(profile)
    settings = find_excitation(robot)
    assert settings is not None
    motion = build_excitation(settings, robot.limits, robot.joints)
    model = dynid.identify(robot, dynid.simulate(robot, motion)).model
    model.save(tmp_path / "model.yaml")
    free = [dynid.simulate(robot, motion, seed=seed) for seed in (1, 2, 3)]
    text = uncertainty_text(free_motion_uncertainty(model, free), [])
    (tmp_path / "uncertainty.yaml").write_text(text)
    cell = Cell(graph, profile, 1.0)
    listener = Listener(
        graph,
        profile=str(profile),
        model=str(tmp_path / "model.yaml"),
        uncertainty=str(tmp_path / "uncertainty.yaml"),
    )
    cell.pass_for(1000)
    graph.until(lambda: listener.contacts[-1].message == "no contact")
    cell.push("lower", 80.0)
    graph.until(lambda: listener.contacts[-1].message.startswith("contact on"))
    cell.pass_for(500)
    torque = listener.node._live.estimate().torque[0]
    # at the elbow's axis: 0.3 m from the shoulder's, which holds it also by its friction of 2 N m
    lever = 0.3 * np.cos(cell.position[1])
    assert torque == pytest.approx([80.0 * lever, 0.0], abs=3.0)
    cell.push("lower", 0.0)
    graph.until(lambda: listener.contacts[-1].message == "no contact")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({}, "parameter 'model' of external_wrench: is empty"),
        ({"model": "nowhere.yaml"}, "nowhere.yaml: there is no such file"),
        ({"model": "MODEL", "frame": "hand"}, "the URDF has no such link"),
        ({"model": "MODEL", "uncertainty": "none.yaml"}, "none.yaml: there is no such file"),
        ({"model": "MODEL", "sampling_rate": 20.0}, "observer_gain"),
        ({"model": "MODEL", "confidence": 0.1}, "parameter 'confidence' of external_wrench"),
    ],
)
def test_refuses_to_start_with(
    graph: Graph, arm, parameters: dict[str, Any], sentence: str
) -> None:
    given = {key: str(arm[0]) if value == "MODEL" else value for key, value in parameters.items()}
    with pytest.raises(DynidError, match=sentence):
        graph.start(ExternalWrenchNode, profile="spatial_3r", **given)
