import contextlib
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from std_msgs.msg import String
from support.deadlines import LONGEST
from support.numbered_robot import JOINTS, Robot, begin, numbers, recorder_maker, start

from dynid.recording.load import load_recording
from dynid_ros.node import ERROR
from dynid_ros.qos import DIAGNOSTICS, LATCHED

recorder = pytest.fixture(recorder_maker)


@pytest.fixture
def robot(graph):
    return Robot(graph)


@pytest.fixture
def states(graph):
    return graph.listen(String, "/recorder/state", LATCHED)


def test_a_recording_of_nothing_is_refused_and_leaves_no_folder(graph, recorder, states, tmp_path):
    recorder()
    start(graph)
    answer = graph.refused("/recorder/stop")
    assert answer.endswith("no message arrived on /joint_states (it has no publisher).")
    assert not (tmp_path / "bag").exists()
    graph.until(lambda: states[-1].data == f"failed: {answer}")


def test_an_existing_folder_is_refused_and_untouched_and_the_node_continues(
    graph, robot, recorder, tmp_path
):
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "mine").write_text("precious")
    node = recorder()
    answer = graph.refused("/recorder/start")
    assert answer == f"{tmp_path / 'bag'}: already exists; nothing was overwritten."
    assert [file.name for file in (tmp_path / "bag").iterdir()] == ["mine"]
    node.set_parameters([Parameter("output", value=str(tmp_path / "other"))])
    begin(graph, robot, node)
    assert graph.call("/recorder/stop").success
    assert numbers(tmp_path / "other")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"output": ""}, "'output' of recorder is empty"),
        ({"output": "/proc/nowhere/bag"}, "/proc/nowhere/bag: cannot be written (No such file"),
        ({"topics": ["/bad name"]}, "topic name '/bad name' is invalid"),
        ({"topics": ["/a//b"]}, "must not contain repeated '/'"),
    ],
)
def test_invalid_recordings_are_refused_with_a_sentence(
    graph, recorder, tmp_path, parameters, sentence
):
    recorder(**parameters)
    answer = graph.refused("/recorder/start")
    assert sentence in answer
    assert answer.endswith(".")
    assert not (tmp_path / "bag").exists()


OTHER = """
import sys
import rclpy
from std_msgs.msg import Header

rclpy.init()
node = rclpy.create_node("other")
node.create_publisher(Header, sys.argv[1], 10)
sys.stdin.read()
"""


@pytest.fixture
def disagree(graph):
    """Publish a topic with two types, which one participant cannot."""
    with contextlib.ExitStack() as stack:

        def publish(topic):
            command = [sys.executable, "-c", OTHER, topic]
            other = subprocess.Popen(command, stdin=subprocess.PIPE)
            stack.enter_context(other)
            stack.callback(other.kill)
            deadline = time.monotonic() + LONGEST
            while not graph.peer.count_publishers(topic):
                assert time.monotonic() < deadline
                time.sleep(0.01)  # without the recorder, which must not see one type alone
            graph.peer.create_publisher(String, topic, 10)
            graph.until(lambda: graph.peer.count_publishers(topic) == 2)

        yield publish


def test_a_topic_of_two_types_is_refused(graph, recorder, disagree, tmp_path):
    disagree("/twofold")
    recorder(topics=["/twofold"])
    answer = graph.refused("/recorder/start")
    assert "different types (std_msgs/msg/Header, std_msgs/msg/String)" in answer
    assert not (tmp_path / "bag").exists()


def test_an_invalid_topic_does_not_end_the_others(graph, robot, recorder, disagree, tmp_path):
    received = graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    node = recorder(topics=["/joint_states", "/twofold"])
    begin(graph, robot, node)
    disagree("/twofold")
    graph.until(lambda: "/twofold" in str(received))
    robot.publish(10)
    assert "/twofold" in graph.done("/recorder/stop")
    assert numbers(tmp_path / "bag")[-1] == robot.published - 1


def test_while_recording_neither_start_nor_new_parameters_are_accepted(graph, robot, recorder):
    node = recorder()
    begin(graph, robot, node)
    assert "is being recorded; call ~/stop" in graph.refused("/recorder/start")
    for change in (Parameter("output", value="x"), Parameter("topics", value=["/x"])):
        (result,) = node.set_parameters([change])
        assert not result.successful
        assert "call ~/stop first" in result.reason


def test_stop_without_start_is_refused(graph, recorder):
    recorder()
    answer = graph.call("/recorder/stop")
    assert (answer.success, answer.message) == (
        False,
        "nothing is being recorded (call ~/start first).",
    )


@contextlib.contextmanager
def full_disk(size):
    """Files of this process end at a size [bytes]."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_reported_and_the_node_continues(graph, robot, recorder, states, tmp_path):
    received = graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    node = recorder()
    begin(graph, robot, node)
    with full_disk(100_000):
        robot.publish(3000)
        graph.until(lambda: states[-1].data.startswith("failed: "))
    assert "bag: cannot be written (File too large); 0.1 MB written before" in states[-1].data
    graph.until(lambda: ERROR in [s.level for array in received for s in array.status])
    assert "cannot be written (File too large)" in graph.refused("/recorder/stop")
    recording = load_recording(tmp_path / "bag", JOINTS)
    first = recording.position[0, 0]
    np.testing.assert_array_equal(
        recording.position[:, 0], first + np.arange(len(recording.position))
    )
    assert len(recording.position) > 300
    node.set_parameters([Parameter("output", value=str(tmp_path / "elsewhere"))])
    begin(graph, robot, node)
    assert graph.call("/recorder/stop").success


@pytest.fixture
def process(graph, robot, tmp_path):
    """A recorder in its own process that has recorded something."""
    bag = tmp_path / "bag"
    program = [sys.executable, "-m", "dynid_ros.programs", "recorder"]
    started = subprocess.Popen(
        [*program, "--ros-args", "-p", f"output:={bag}"], stderr=subprocess.PIPE, text=True
    )
    try:
        received = graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        start(graph)

        def recorded():
            """Return the recorder's number of messages."""
            values = {
                value.key: value.value for array in received for value in array.status[0].values
            }
            return int(values.get("messages", 0))

        graph.until(lambda: robot.publish(20) or recorded())
        started.received, started.recorded = received, recorded
        yield started
    finally:
        started.kill()
        started.communicate()


def test_sigint_closes_the_bag(robot, process, tmp_path):
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, errors
    assert "messages in " in errors
    assert (tmp_path / "bag" / "metadata.yaml").is_file()
    read = numbers(tmp_path / "bag")
    assert read == list(range(read[0], robot.published))


def test_a_killed_recorder_leaves_all_but_the_last_second(graph, robot, process, tmp_path):
    flushed = robot.published
    graph.until(lambda: robot.publish() or process.recorded() >= flushed)
    # it reports once a second, by the timer of its flushes: seconds of a busy machine
    earlier = len(process.received)
    graph.until(lambda: robot.publish() or len(process.received) >= earlier + 3)
    process.kill()
    process.wait(timeout=LONGEST)
    assert not (tmp_path / "bag" / "metadata.yaml").exists()
    recording = load_recording(tmp_path / "bag", JOINTS)
    assert recording.position[-1, 0] >= flushed - 1
    assert "was not closed by its recorder" in recording.repairs[0]
