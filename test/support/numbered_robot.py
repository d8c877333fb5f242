"""A robot that numbers its joint states, so that missing ones are visible in a recording."""

from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState

from dynid_ros.qos import STATES
from dynid_ros.recorder import Recorder

JOINTS = ["base", "elbow"]


def state(number):
    """Joint states, one a millisecond, whose first position is their number."""
    message = JointState(name=JOINTS, position=[float(number), 0.5], effort=[1.0, float(number)])
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(number * 10**6, 10**9)
    return message


class Robot:
    """Publishes numbered joint states from the test's own process."""

    def __init__(self, graph):
        self.graph = graph
        self.publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
        self.published = 0

    def publish(self, count=1):
        for _ in range(count):
            self.publisher.publish(state(self.published))
            self.published += 1


def recorder_maker(graph, tmp_path):
    """Fixture: start recorders, which write to tmp_path/bag by default."""
    made = []

    def make(**parameters):
        parameters = {"output": str(tmp_path / "bag"), **parameters}
        made.append(graph.start(Recorder, **parameters))
        return made[-1]

    yield make
    for node in made:
        node.finish()


def start(graph):
    return graph.done("/recorder/start")


def begin(graph, robot, node):
    """Start, and publish until the first message is in the bag."""
    start(graph)

    def recorded():
        robot.publish()
        return node.measured()["messages"]

    graph.until(recorded)


def content(bag):
    with AnyReader([bag]) as reader:
        return [(c.topic, when, bytes(raw)) for c, when, raw in reader.messages()]


def numbers(bag):
    with AnyReader([bag]) as reader:
        return [
            int(reader.deserialize(raw, c.msgtype).position[0])
            for c, _, raw in reader.messages()
            if c.topic == "/joint_states"
        ]
