from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.arm_files import write_arm
from support.endless_identification import endless_identification
from support.representatives import representatives

from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.recording.load import load_recording
from dynid.report.verdict_json import read_card
from dynid_ros.identifier import Identifier
from dynid_ros.qos import LATCHED, STATES

BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture
def start(graph, arm, tmp_path):
    """Start an identifier of the arm, and subscribe to its topics."""

    def make(**parameters):
        settings = {"profile": str(arm.profile), "output": str(tmp_path / "out")}
        node = graph.start(Identifier, **(settings | parameters))
        for topic in ("model", "identification", "validation"):
            node.received = getattr(node, "received", {})
            node.received[topic] = graph.listen(String, f"/identifier/{topic}", LATCHED)
        return node

    return make


@pytest.fixture
def health(graph):
    return graph.statuses("identifier")


def publish_bag(graph, bag, qos=STATES, publisher=None):
    """Publish the raw messages of a bag, as fast as they are taken."""
    if publisher is None:
        publisher = graph.peer.create_publisher(JointState, "/joint_states", qos)
    graph.until(lambda: publisher.get_subscription_count() > 0)
    with Reader(bag) as reader:
        for number, (_, _, raw) in enumerate(reader.messages()):
            publisher.publish(bytes(raw))
            if number % 50 == 0:
                graph.spin(0.005)


def set_parameters(node, **values):
    for result in node.set_parameters([Parameter(k, value=v) for k, v in values.items()]):
        assert result.successful, result.reason


def test_identifies_from_a_bag_and_publishes_the_results(graph, start, arm, tmp_path, health):
    node = start(recording=str(arm.bag))
    answer = graph.call("/identifier/identify")
    model = tmp_path / "out" / "model.yaml"
    assert answer.success
    assert answer.message.startswith("identified arm: mean relative error ")
    assert str(model) in answer.message
    graph.until(lambda: node.received["model"] and node.received["identification"])
    assert node.received["model"][-1].data == model.read_text()
    assert read_card(node.received["identification"][-1].data).verdict.success
    assert (tmp_path / "out" / "report.html").exists()
    graph.until(lambda: health()[-1].message == answer.message)
    assert {v.key for v in health()[-1].values} >= {"elbow: relative error"}


def test_messages_replayed_into_the_topic_give_the_model_of_the_bag(graph, start, arm, tmp_path):
    robot = load_robot(str(arm.profile))
    from_bag = identify(robot, load_recording(arm.bag, robot.joints))
    node = start()
    assert graph.call("/identifier/start").success  # before there is a publisher
    publish_bag(graph, arm.bag)
    graph.until(lambda: len(node._collector.messages) == 2000)
    assert "collected 2000 messages of /joint_states" in graph.call("/identifier/stop").message
    graph.done("/identifier/identify")
    live = load_model(tmp_path / "out" / "model.yaml")
    expected = from_bag.model.parameters
    np.testing.assert_allclose(live.parameters, expected, rtol=1e-9, atol=1e-12)
    assert live.provenance.samples == from_bag.samples
    (source,) = live.provenance.sources
    assert source.name == "topic /joint_states, live"


def test_collects_from_a_publisher_that_is_not_reliable_and_comes_late(graph, start, arm):
    node = start()
    assert graph.call("/identifier/start").success
    publish_bag(graph, arm.bag, BEST_EFFORT)
    graph.until(lambda: len(node._collector.messages) > 0)


def test_a_failed_criterion_is_written_and_reported_but_its_model_is_not_published(
    graph, start, arm, tmp_path, health
):
    node = start(
        recording=str(arm.bag), overrides=["identification.max_relative_torque_error=0.001"]
    )
    answer = graph.refused("/identifier/identify")
    assert "the identification of arm failed" in answer
    assert "shoulder: max relative torque error" in answer
    assert load_model(tmp_path / "out" / "model.failed.yaml").failed
    assert not (tmp_path / "out" / "model.yaml").exists()
    graph.until(lambda: node.received["identification"])
    assert not read_card(node.received["identification"][-1].data).verdict.success
    graph.until(lambda: health()[-1].level == b"\x02")
    assert node.received["model"] == []


def test_validates_on_another_motion(graph, start, arm, tmp_path):
    node = start(recording=str(arm.bag))
    assert graph.call("/identifier/identify").success
    set_parameters(node, recording=str(arm.other_bag))
    assert graph.done("/identifier/validate").startswith("validated ")
    assert (tmp_path / "out" / "validation.html").exists()
    graph.until(lambda: node.received["validation"])
    assert [j.joint for j in read_card(node.received["validation"][-1].data).verdict.joints] == [
        "shoulder",
        "elbow",
        "wrist",
    ]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"recording": "/no/such/bag"}, "/no/such/bag: there is no such file or folder."),
        ({"recording": "x", "profile": "puma999"}, "profile 'puma999': not shipped with dynid"),
        ({"recording": "x", "overrides": ["identification.cutoff_hz"]}, "must be key=value"),
        ({}, "there is nothing to read: set parameter 'recording'"),
    ],
)
def test_invalid_input_gets_a_response_of_one_sentence(
    graph, start, parameters, sentence, tmp_path
):
    start(**parameters)
    for _ in range(2):  # the node still runs
        assert sentence in graph.refused("/identifier/identify")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", representatives(["signals.mcap", "mine_identified.urdf"], 1))
def test_an_output_neither_replaces_nor_removes_what_was_read(graph, start, arm, tmp_path, name):
    output = tmp_path / "out"
    output.mkdir()
    if name == "signals.mcap":
        shutil.copy(next(arm.bag.glob("*.mcap")), output / name)
        node = start(recording=str(output / name))
    else:
        shutil.copy(next(arm.profile.parent.glob("*.urdf")), output / name)
        node = start(recording=str(arm.bag), urdf=str(output / name))
    before = {one.name: one.read_bytes() for one in output.iterdir()}
    answer = graph.refused("/identifier/identify")
    assert f"{name}: is an input, which is never overwritten; name another output" in answer
    assert {one.name: one.read_bytes() for one in output.iterdir()} == before
    set_parameters(node, output=str(tmp_path / "other"))
    assert graph.call("/identifier/identify").success


def test_validating_without_a_model_names_the_file(graph, start, arm, tmp_path):
    start(recording=str(arm.bag))
    answer = graph.refused("/identifier/validate")
    assert f"{tmp_path / 'out' / 'model.yaml'}: there is no such file." in answer


def test_collecting_ends_by_itself_and_reports_it(graph, start, arm, health, monkeypatch):
    node = start(max_duration=1.0)
    now = iter(range(0, 10**15, 10_000_000))
    graph.call("/identifier/start")
    add = node._collector.messages.add
    monkeypatch.setattr(node._collector.messages, "add", lambda _t, raw: add(next(now), raw))
    publish_bag(graph, arm.bag)
    graph.until(lambda: not node._collector.active)
    sentence = "/joint_states: collecting stopped automatically after 1 s"
    assert sentence in health()[-1].message
    assert sentence in graph.refused("/identifier/stop")
    assert len(node._collector.messages) == 101


def test_refuses_to_stop_or_identify_out_of_turn(graph, start):
    start()
    assert "call ~/start first" in graph.call("/identifier/stop").message
    assert graph.call("/identifier/start").success
    for service in ("start", "identify"):
        answer = graph.refused(f"/identifier/{service}")
        assert "/joint_states is still being collected; call ~/stop first." in answer
    assert graph.call("/identifier/stop").success
    answer = graph.call("/identifier/identify")
    assert "no message was collected" in answer.message


@pytest.fixture
def slow():
    with endless_identification() as events:
        yield events


def test_diagnostics_continue_and_a_second_call_is_refused_meanwhile(
    graph, start, arm, health, slow
):
    entered, released = slow
    start(recording=str(arm.bag))
    first = graph.begin("/identifier/identify")
    graph.until(entered.is_set)
    before = len(health())
    graph.until(lambda: len(health()) >= before + 2)
    assert "step" in {value.key for value in health()[-1].values}
    assert "identifier has been identifying for" in graph.refused("/identifier/validate")
    assert not first.done()
    released.set()
    graph.until(first.done)
    assert "a bug in dynid (RuntimeError('no result'))" in first.result().message


def test_interrupted_work_gets_a_response_and_leaves_no_thread(graph, start, arm, tmp_path, slow):
    entered, _ = slow
    node = start(recording=str(arm.bag))
    first = graph.begin("/identifier/identify")
    graph.until(entered.is_set)
    node.finish()
    graph.until(first.done)
    assert not first.result().success
    assert "interrupted while identifying" in first.result().message
    assert "identifying" not in {thread.name for thread in threading.enumerate()}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("writing", representatives([False, True], 1))
def test_a_signal_ends_the_process_with_whole_files_or_none(graph, arm, tmp_path, health, writing):
    output = tmp_path / "out"
    arguments = ["--ros-args", "-p", f"profile:={arm.profile}", "-p", f"recording:={arm.bag}"]
    arguments += ["-p", f"output:={output}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dynid_ros.programs", "identifier", *arguments],
        stderr=subprocess.DEVNULL,
    )
    try:
        graph.begin("/identifier/identify")
        graph.until(lambda: health() and health()[-1].message == "identifying")
        if writing:
            # or has written, if this process was suspended meanwhile
            graph.until(lambda: output.exists() and list(output.iterdir()))
        process.send_signal(signal.SIGINT)
        graph.until(lambda: process.poll() is not None)
        assert process.returncode == 0
        names = {path.name for path in output.iterdir()} if output.exists() else set()
        left = {name for name in names if not name.startswith(".unfinished-")}
        whole = {"model.yaml", "report.html", "signals.mcap", "arm_identified.urdf"}
        assert left in (set(), whole)
    finally:
        process.kill()
        process.wait()
