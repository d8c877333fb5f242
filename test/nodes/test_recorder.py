import json
import time

import numpy as np
import pytest
from mcap.reader import make_reader
from rclpy.serialization import deserialize_message
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.numbered_robot import (
    JOINTS,
    Robot,
    begin,
    content,
    numbers,
    recorder_maker,
    start,
    state,
)

from dynid.recording.load import load_recording
from dynid_ros.qos import CLOCK, LATCHED, STATE_DEPTH, STATES

recorder = pytest.fixture(recorder_maker)


@pytest.fixture
def robot(graph):
    return Robot(graph)


@pytest.fixture
def states(graph):
    return graph.listen(String, "/recorder/state", LATCHED)


def test_every_message_is_in_the_bag_as_it_was_published(graph, robot, recorder, states, tmp_path):
    node = recorder()
    begin(graph, robot, node)
    for _ in range(20):
        robot.publish(100)
        graph.spin(0.01)
    answer = graph.done("/recorder/stop")
    read = numbers(tmp_path / "bag")
    assert read == list(range(read[0], robot.published))
    assert len(read) > 2000
    # not byte by byte: padding of a serialized message is undefined
    messages = [deserialize_message(raw, JointState) for _, _, raw in content(tmp_path / "bag")]
    assert messages == [state(number) for number in read]
    assert answer.startswith(f"{len(read)} messages in ")
    assert f"to {tmp_path / 'bag'} (" in answer
    assert "lost" not in answer
    graph.until(lambda: [message.data for message in states] == ["idle", "recording", "idle"])


def test_a_recorder_that_starts_at_once_records_until_it_ends(graph, robot, recorder, tmp_path):
    node = recorder(start_at_once=True)

    def recorded():
        robot.publish()
        return node.measured()["messages"]

    graph.until(recorded)
    node.finish()
    assert numbers(tmp_path / "bag")


def test_the_mcap_library_and_load_recording_read_the_same(graph, robot, recorder, tmp_path):
    begin(graph, robot, recorder())
    robot.publish(500)
    assert graph.call("/recorder/stop").success
    with (tmp_path / "bag" / "bag.mcap").open("rb") as stream:
        messages = [(m.log_time, m.data) for _, _, m in make_reader(stream).iter_messages()]
    assert messages == [(when, raw) for _, when, raw in content(tmp_path / "bag")]
    recording = load_recording(tmp_path / "bag", JOINTS)
    assert recording.sampling_rate == pytest.approx(1000.0)
    np.testing.assert_array_equal(recording.position[:, 0], numbers(tmp_path / "bag"))


def test_times_of_reception_are_those_of_the_middleware(graph, robot, recorder, tmp_path):
    begin(graph, robot, recorder())
    before = time.time_ns()
    robot.publish()
    between = time.time_ns()  # within a process Fast DDS delivers before publishing returns
    # the node has not been spun: it reads the message only now
    assert graph.call("/recorder/stop").success
    *_, (_, received, _) = content(tmp_path / "bag")
    assert before <= received <= between


def test_stop_reads_all_waiting_messages(graph, robot, recorder, tmp_path):
    node = recorder()
    begin(graph, robot, node)
    robot.publish(3000)
    node.stop()
    assert numbers(tmp_path / "bag")[-1] == robot.published - 1


def test_messages_lost_by_overflow_are_counted_and_reported(graph, robot, recorder, tmp_path):
    node = recorder()
    begin(graph, robot, node)
    robot.publish(STATE_DEPTH + 100)
    summary = node.stop()
    read = numbers(tmp_path / "bag")
    lost = robot.published - read[0] - len(read)
    assert lost >= 100
    total = len(read) + lost
    assert (
        f"{lost} of {total} messages on /joint_states are missing: {lost} lost between" in summary
    )
    assert node.measured()["lost"] == node.measured()["missing"] == lost


def test_messages_that_were_not_sent_are_counted_and_reported(graph, robot, recorder):
    recorded = graph.listen(String, "/recorder/recorded", LATCHED)
    node = recorder()
    begin(graph, robot, node)
    robot.publish(200)
    robot.published += 69
    robot.publish(200)
    answer = graph.call("/recorder/stop")
    assert (
        " messages on /joint_states are missing: 69 not sent by the publisher (none for 0.070 s"
        in (answer.message)
    )
    assert node.measured()["lost"] == 0
    graph.until(lambda: recorded)
    (topic,) = json.loads(recorded[-1].data)["topics"]
    assert (topic["missing"], topic["lost"]) == (69, 0)
    assert topic["longest_gap"] == pytest.approx(0.07)


def test_several_publishers_are_recorded_with_unknown_losses(graph, robot, recorder, tmp_path):
    second = graph.peer.create_publisher(JointState, "/joint_states", STATES)
    begin(graph, robot, recorder())
    for number in range(100):
        second.publish(state(1_000_000 + number))
        robot.publish(2)
    answer = graph.call("/recorder/stop")
    assert answer.message.endswith("; losses on /joint_states are unknown")
    read = numbers(tmp_path / "bag")
    assert [number for number in read if number >= 10**6] == list(range(10**6, 10**6 + 100))
    assert [number for number in read if number < 10**6][-1] == robot.published - 1


def test_waits_for_a_topic_without_a_publisher(graph, recorder, tmp_path):
    node = recorder(topics=["joint_states"])  # a relative name
    assert start(graph).endswith("; no publisher yet on /joint_states")
    robot = Robot(graph)
    graph.until(lambda: robot.publish() or node.measured()["messages"])
    assert graph.call("/recorder/stop").success
    assert numbers(tmp_path / "bag")


def test_names_topics_without_messages(graph, robot, recorder):
    graph.peer.create_publisher(String, "/quiet", 10)
    begin(graph, robot, recorder(topics=["/joint_states", "/quiet", "/absent"]))
    answer = graph.done("/recorder/stop")
    assert "no message arrived on /quiet; " in answer
    assert "no message arrived on /absent (it has no publisher)" in answer


def test_a_latched_topic_is_recorded_and_kept_as_such(graph, recorder, tmp_path):
    graph.peer.create_publisher(String, "/model", LATCHED).publish(String(data="long ago"))
    node = recorder(topics=["/model"])
    start(graph)
    graph.until(lambda: node.measured()["messages"])
    assert graph.call("/recorder/stop").success
    with AnyReader([tmp_path / "bag"]) as reader:
        (connection,) = reader.connections
        (offered,) = connection.ext.offered_qos_profiles
        ((_, _, raw),) = reader.messages()
        assert reader.deserialize(raw, connection.msgtype).data == "long ago"
    assert offered.durability == QosDurability.TRANSIENT_LOCAL


def test_simulated_time_is_the_time_of_reception(graph, robot, recorder, tmp_path):
    clock = graph.peer.create_publisher(Clock, "/clock", CLOCK)
    node = recorder(use_sim_time=True)
    assert "no time arrived on /clock" in graph.refused("/recorder/start")
    now = Clock()
    now.clock.sec = 42
    graph.until(lambda: clock.publish(now) or node.get_clock().now().nanoseconds)
    begin(graph, robot, node)
    assert graph.call("/recorder/stop").success
    assert {when for _, when, _ in content(tmp_path / "bag")} == {42 * 10**9}
