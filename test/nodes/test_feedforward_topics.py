"""The control law in ``simulated_robot``, with the topics of feedforward_controller."""

from __future__ import annotations

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.simulated_cell import GOAL, MILLISECOND, Cell, motion
from support.small_robot import HOME, JOINTS, write_its_model, write_small_robot

from dynid.robot.tuned_thresholds import text_with_thresholds
from dynid_ros.node import ERROR, OK
from dynid_ros.qos import LATCHED
from dynid_ros.trajectory_messages import start_ns

RESET = "/feedforward_controller/reset"
COLLISION = {"torque_error_max": [12.0, 6.0], "reversal_boost": [4.0, 2.0]}


@pytest.fixture(scope="module")
def model_text(tmp_path_factory) -> str:
    """A model of the small robot, identified from its simulation."""
    return write_its_model(tmp_path_factory.mktemp("model")).read_text()


class ControlledCell(Cell):
    def __init__(self, graph, folder) -> None:
        name = "/feedforward_controller"
        self.states: list[JointState] = graph.listen(JointState, f"{name}/state", 100)
        self.collisions: list[DiagnosticStatus] = graph.listen(
            DiagnosticStatus, f"{name}/collision", LATCHED
        )
        self._models = graph.peer.create_publisher(String, "/dynid/model", LATCHED)
        profile = write_small_robot(folder, collision=COLLISION)
        super().__init__(graph, profile, 5.0, feedforward=True)
        graph.until(lambda: self.states and self.collisions)

    def use(self, text: str) -> None:
        self._models.publish(String(data=text))

    def rows(self, quantity: str) -> dict[str, np.ndarray]:
        """Position, velocity and effort of a quantity in the newest state (n,)."""
        message = self.states[-1]
        rows = [message.name.index(f"{joint}/{quantity}") for joint in JOINTS]
        return {
            kind: np.array(getattr(message, kind))[rows]
            for kind in ("position", "velocity", "effort")
        }


@pytest.fixture
def cell(stepped_graph, tmp_path) -> ControlledCell:
    return ControlledCell(stepped_graph, tmp_path)


def test_its_state_has_a_row_for_each_quantity_of_each_joint(cell) -> None:
    cell.pass_for(100)
    rows = [f"{j}/{q}" for q in ("reference", "feedback") for j in JOINTS]
    assert list(cell.states[-1].name)[:4] == rows
    assert np.allclose(cell.rows("reference")["position"], HOME)
    assert np.allclose(cell.rows("feedback")["position"], HOME, atol=1e-3)
    assert not cell.rows("reference")["effort"].any(), "no torque without a model"
    assert math.isnan(cell.rows("threshold")["position"][0])
    stamps = np.array([start_ns(state) for state in cell.states])
    assert set(np.diff(stamps)) == {10 * MILLISECOND}


def test_it_first_publishes_no_collision(cell) -> None:
    first = cell.collisions[0]
    assert (first.name, first.level, first.message) == ("collision", OK, "no collision")
    assert [pair.key for pair in first.values] == ["joint", "cause", "value", "threshold", "time"]


def test_the_torque_of_a_model_is_ramped_in(cell, model_text) -> None:
    cell.use(model_text)
    assert cell.logged("a model is in use, identified on ")
    cell.pass_for(1500)
    # at rest it is the gravity torque, and the drives' own share becomes 0
    assert abs(cell.rows("reference")["effort"][0]) > 5.0
    assert np.abs(cell.rows("torque_error")["effort"]).max() < 3.0


def test_thresholds_in_the_model_have_priority_over_the_profiles(cell, model_text) -> None:
    tuned = {"torque_error_max": [30.0, 20.0], "reversal_boost": [0.0, 0.0]}
    cell.use(text_with_thresholds(model_text, tuned, [], "model.yaml"))
    cell.logged("a model is in use, identified on ")
    cell.pass_for(100)
    assert np.allclose(cell.rows("threshold")["effort"], [30.0, 20.0])
    messages = len(cell.log)
    cell.use(model_text)
    cell.graph.until(lambda: len(cell.log) > messages)
    cell.pass_for(100)
    assert np.allclose(cell.rows("threshold")["effort"], [16.0, 8.0]), "those of the profile again"


def test_a_model_of_another_robot_is_refused_and_the_previous_one_stays(cell, model_text) -> None:
    cell.use(model_text)
    cell.logged("a model is in use")
    cell.use(model_text.replace("robot: duo", "robot: trio"))
    assert cell.logged("/dynid/model: model.robot does not match model.profile")
    cell.pass_for(1500)
    assert cell.rows("reference")["effort"].any()


def test_a_collision_is_published_holds_the_robot_and_is_reset(cell, model_text) -> None:
    cell.use(model_text)
    cell.logged("a model is in use")
    cell.pass_for(1500)
    start = cell.go()
    cell.pass_until(start + 150 * MILLISECOND)
    cell.push("lower", -400.0)
    cell.graph.until(lambda: cell.collisions[-1].level == ERROR)
    event = {pair.key: pair.value for pair in cell.collisions[-1].values}
    assert event["joint"] in JOINTS
    assert event["cause"] == "torque_error"
    assert abs(float(event["value"])) > float(event["threshold"])
    assert start < int(event["time"]) <= start_ns(cell.messages[-1])
    assert f"Collision at joint '{event['joint']}': torque error " in cell.collisions[-1].message
    cell.push("lower", 0.0)
    cell.pass_for(1000)
    assert not cell.rows("reference")["effort"].any()
    held = cell.position
    cell.send(motion(held, GOAL), 0)
    assert cell.logged("trajectory refused: Collision at joint")
    cell.pass_for(500)
    assert np.allclose(cell.position, held, atol=2e-3)
    cell.graph.done(RESET)
    cell.graph.until(lambda: cell.collisions[-1].message == "no collision")
    cell.arrive(begin=held)
