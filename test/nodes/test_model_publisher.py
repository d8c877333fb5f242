from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import yaml
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from support.arm_files import write_arm

from dynid.identification.identify import identify
from dynid.profile import load_robot, make_robot
from dynid.recording.load import load_recording
from dynid.robot.model_file import confirm_edit
from dynid_ros.model_publisher import ModelPublisher
from dynid_ros.node import ERROR, OK, WARN
from dynid_ros.qos import LATCHED


@dataclasses.dataclass(frozen=True)
class Models:
    arm: object
    good: str
    failed: str
    impossible: str


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Texts of a good, of a failed and of a physically impossible model of the arm."""
    folder = tmp_path_factory.mktemp("arm")
    arm = write_arm(folder)
    robot = load_robot(str(arm.profile))
    model = identify(robot, load_recording(arm.bag, robot.joints)).model
    made = dataclasses.replace(model.provenance, status="failed", reasons=("elbow: too bad.",))
    failed = dataclasses.replace(model, provenance=made)
    values = model.parameters.copy()
    values[0] = -1.0
    impossible = dataclasses.replace(model, mechanism=model.mechanism.with_parameters(values))
    return Models(arm, model.text(), failed.text(), impossible.text())


@pytest.fixture
def store(tmp_path):
    def write(text, name="model.yaml"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.fixture
def start(graph, models):
    def make(**parameters):
        node = graph.start(ModelPublisher, **({"profile": str(models.arm.profile)} | parameters))
        node.received = graph.listen(String, "/dynid/model", LATCHED)
        return node

    return make


@pytest.fixture
def health(graph):
    """The newest status of the node."""
    statuses = graph.statuses("model_publisher")

    def until(level, words):
        """Wait for a status, and return it."""
        graph.until(lambda: any(s.level == level and words in s.message for s in statuses()[-1:]))
        return statuses()[-1]

    return until


def set_model(node, path):
    (result,) = node.set_parameters([Parameter("model", value=path)])
    assert result.successful


def controller(**options):
    return Node("feedforward_controller", allow_undeclared_parameters=True, **options)


def test_the_model_named_at_start_up_is_published_for_late_subscribers(
    graph, start, models, store, health
):
    node = start(model=store(models.good))
    health(OK, "is published")
    late = graph.listen(String, "/dynid/model", LATCHED)
    graph.until(lambda: late and node.received)
    assert late[-1].data == node.received[-1].data == models.good


def test_a_model_without_a_seal_is_published_with_one_warning(
    graph, start, models, store, health, capfd
):
    unsealed = re.sub(r"\n +sha256: .*", "", models.good.replace("format: 2", "format: 1"))
    assert unsealed != models.good
    node = start(model=store(unsealed))
    health(OK, "is published")
    graph.until(lambda: node.received)
    assert node.received[-1].data == unsealed
    assert capfd.readouterr().err.count("model.yaml: has format 1 without a seal") == 1


def test_load_accepts_a_model_that_was_named_later(graph, start, models, store, health):
    node = start()
    health(WARN, "no model yet")
    assert "parameter 'model' is empty" in graph.refused("/model_publisher/load")
    set_model(node, store(models.good))
    assert "the model of arm identified on 20" in graph.done("/model_publisher/load")
    graph.until(lambda: node.received)
    health(OK, "is published")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda _: "half: [", "is not valid YAML"),
        (lambda text: text.partition("      urdf_sha256")[0], "'urdf_sha256' is missing"),
        (lambda text: text.replace('robot: "arm"', 'robot: "leg"'), "the file was altered"),
    ],
)
def test_an_invalid_file_at_start_up_publishes_nothing_and_the_node_runs(
    graph, start, models, store, health, change, sentence
):
    text = change(models.good)
    assert text != models.good
    node = start(model=store(text))
    assert sentence in health(ERROR, "model.yaml").message
    assert sentence in graph.refused("/model_publisher/load")
    assert node.received == []


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"profile": "puma560", "force": True}, "is of robot 'arm', this is 'puma560'; load this"),
        ({"profile": "puma999"}, "profile 'puma999': not shipped with dynid"),
        ({"model": "/no/model.yaml"}, "/no/model.yaml: there is no such file."),
    ],
)
def test_refuses_models_of_other_robots(graph, start, models, store, health, parameters, sentence):
    node = start(**({"model": store(models.good)} | parameters))
    health(ERROR, sentence)
    assert sentence in graph.call("/model_publisher/load").message
    assert node.received == []


def test_refuses_a_model_of_the_same_robot_with_another_urdf(
    graph, start, models, store, health, tmp_path
):
    urdf = models.arm.profile.with_name("arm.urdf").read_text()
    other = tmp_path / "longer.urdf"
    other.write_text(urdf.replace('xyz="0.25 0 0"', 'xyz="0.30 0 0"'))
    start(model=store(models.good), urdf=str(other))
    found = health(ERROR, "was identified with another URDF").message
    assert "joint 'wrist' has origin xyz 0.25 0 0 in the model's, 0.30 0 0 in this" in found


def test_a_refused_model_leaves_the_earlier_one_published(graph, start, models, store, health):
    node = start(model=store(models.good))
    graph.until(lambda: node.received)
    set_model(node, store(models.failed, "failed.yaml"))
    assert "its identification failed (elbow: too bad)" in graph.refused("/model_publisher/load")
    values = {v.key: v.value for v in health(ERROR, "its identification failed").values}
    assert values["published"].endswith("model.yaml")
    late = graph.listen(String, "/dynid/model", LATCHED)
    graph.until(lambda: late)
    assert late[-1].data == models.good
    set_model(node, store(models.good))
    assert graph.call("/model_publisher/load").success
    health(OK, "is published")


def test_a_failed_model_is_loaded_by_force_with_a_warning(graph, start, models, store, health):
    node = start(model=store(models.failed), force=True)
    graph.until(lambda: node.received)
    health(WARN, "failed its criterion, loaded by force")


def test_a_model_that_is_not_physically_consistent_is_refused_unless_forced(
    graph, start, models, store, health
):
    node = start(model=store(models.impossible))
    health(ERROR, "is not physically consistent: the pseudo-inertia of the body at")
    assert node.received == []
    node.set_parameters([Parameter("force", value=True)])
    assert graph.call("/model_publisher/load").success
    graph.until(lambda: node.received)


def test_an_edit_by_hand_is_reported(graph, start, models, store, health):
    path = store(re.sub(r"(parameters:\n +- )(\d)", r"\g<1>1\2", models.good, count=1))
    confirm_edit(Path(path), make_robot)
    start(model=path)
    values = {v.key: v.value for v in health(OK, "is published").values}
    assert ", edited by hand on 2" in values["identified"]


def test_follows_the_models_of_another_node(graph, start, models, health):
    finder = graph.peer.create_publisher(String, "/identifier/model", LATCHED)
    node = start(follow="/identifier/model")
    finder.publish(String(data=models.good))
    graph.until(lambda: node.received)
    assert node.received[-1].data == models.good
    finder.publish(String(data=models.failed))
    health(ERROR, "topic /identifier/model: its identification failed")
    assert len(node.received) == 1


def test_the_controller_gets_every_parameter_when_it_starts(graph, start, models, store, health):
    node = start(model=store(models.good), controller="/feedforward_controller")
    graph.until(lambda: node.received)  # published with or without a controller
    health(WARN, "/feedforward_controller is not available; it will get the model when it is")
    follower = graph.start(controller)
    health(OK, "is published")
    written = yaml.safe_load(models.good)["/**"]["ros__parameters"]["model"]
    for name in ("robot", "format", "parameters", "parameter_names", "physically_consistent"):
        value = follower.get_parameter(f"model.{name}").value
        assert (list(value) if isinstance(written[name], list) else value) == written[name]
    assert follower.get_parameter("model.terms.kinds").value == written["terms"]["kinds"]
    moving = follower.get_parameter("model.errors.moving_samples")
    assert list(moving.value) == written["errors"]["moving_samples"]


def test_a_refusal_of_the_controller_is_reported(graph, start, models, store, health):
    follower = graph.start(controller)
    follower.add_on_set_parameters_callback(
        lambda _: SetParametersResult(successful=False, reason="the controller is active")
    )
    start(model=store(models.good), controller="/feedforward_controller")
    health(ERROR, "/feedforward_controller refuses the model: the controller is active")
    assert not follower.has_parameter("model.robot")


def test_a_restarted_controller_gets_the_model_again(graph, start, models, store, health):
    first = graph.start(controller)
    start(model=store(models.good), controller="/feedforward_controller")
    health(OK, "is published")
    graph.stop(first)
    health(WARN, "/feedforward_controller is not available")
    second = graph.start(controller)
    graph.until(lambda: second.has_parameter("model.robot"))
    health(OK, "is published")
