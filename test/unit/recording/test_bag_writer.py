import resource
from io import StringIO

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.records import Chunk, DataEnd, Footer
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from ruamel.yaml import YAML

from dynid.errors import RecordingError
from dynid.recording.bag_writer import BagWriter
from dynid.recording.load import load_recording

from .conftest import JOINT_STATE, TYPES, serialize

STRING = "std_msgs/msg/String"
FOREVER = QosTime(9223372036, 854775807)
LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    FOREVER,
    FOREVER,
    QosLiveliness.AUTOMATIC,
    FOREVER,
    avoid_ros_namespace_conventions=False,
)


@pytest.fixture
def messages(motion, messages_of):
    return messages_of(motion)


def fill(bag, messages):
    for message in messages:
        bag.write("/joint_states", message.receive, bytes(serialize(message)))


def text(content):
    return TYPES.serialize_cdr(TYPES.types[STRING](data=content), STRING)


def test_written_messages_are_read_exactly(tmp_path, messages):
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
        fill(bag, messages)
    with AnyReader([tmp_path / "bag"]) as reader:
        read = [(time, bytes(raw)) for _, time, raw in reader.messages()]
    assert read == [(message.receive, bytes(serialize(message))) for message in messages]


def test_the_mcap_library_reads_the_same(tmp_path, messages):
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
        fill(bag, messages[:100])
        bag.flush()
        fill(bag, messages[100:])
    with (tmp_path / "bag" / "bag.mcap").open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        assert reader.get_summary().statistics.message_count == len(messages)
        rows = [
            (schema.name, channel.topic, m.log_time, m.data)
            for schema, channel, m in reader.iter_messages()
        ]
    assert rows == [
        (JOINT_STATE, "/joint_states", message.receive, bytes(serialize(message)))
        for message in messages
    ]


@pytest.mark.parametrize("compressed", [False, True])
def test_every_chunk_the_data_and_the_index_have_a_checksum(tmp_path, messages, compressed):
    with BagWriter(tmp_path / "bag", compressed=compressed) as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
        for start in range(0, 400, 100):
            fill(bag, messages[start : start + 100])
            bag.flush()
    with (tmp_path / "bag" / "bag.mcap").open("rb") as stream:
        # refuses a chunk or a data section that does not match its checksum
        records = list(StreamReader(stream, emit_chunks=True, validate_crcs=True).records)
    chunks = [record for record in records if isinstance(record, Chunk)]
    assert len(chunks) == 4
    assert all(chunk.uncompressed_crc for chunk in chunks)
    assert all(record.data_section_crc for record in records if isinstance(record, DataEnd))
    assert all(record.summary_crc for record in records if isinstance(record, Footer))


def test_metadata_contains_what_ros2_bag_info_and_play_need(tmp_path, messages):
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
        bag.add_topic("/model", STRING, [LATCHED])
        fill(bag, messages)
        bag.write("/model", messages[0].receive, text("hello"))
    content = YAML(typ="safe").load(StringIO((tmp_path / "bag" / "metadata.yaml").read_text()))
    info = content["rosbag2_bagfile_information"]
    assert (info["storage_identifier"], info["message_count"]) == ("mcap", len(messages) + 1)
    assert info["relative_file_paths"] == ["bag.mcap"]
    assert info["duration"]["nanoseconds"] == messages[-1].receive - messages[0].receive
    topics = {
        t["topic_metadata"]["name"]: t["topic_metadata"] for t in info["topics_with_message_count"]
    }
    (offered,) = topics["/model"]["offered_qos_profiles"]
    assert (offered["durability"], offered["reliability"]) == ("transient_local", "reliable")
    assert topics["/joint_states"]["type_description_hash"] == TYPES.hash_rihs01(JOINT_STATE)


def test_counts_by_topic_and_measures(tmp_path, messages):
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
        bag.add_topic("/silent", JOINT_STATE)
        fill(bag, messages)
        assert bag.counts == {"/joint_states": 400, "/silent": 0}
        assert bag.duration == pytest.approx(3.99)
        growing = bag.size
    assert 400 * len(serialize(messages[0])) < growing < bag.size
    assert bag.size == (tmp_path / "bag" / "bag.mcap").stat().st_size


def test_flushed_messages_are_read_from_a_bag_that_was_not_closed(tmp_path, messages, motion):
    bag = BagWriter(tmp_path / "bag")
    bag.add_topic("/joint_states", JOINT_STATE)
    fill(bag, messages[:150])
    bag.flush()
    fill(bag, messages[150:300])
    bag.flush()
    fill(bag, messages[300:])
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "copy.mcap").write_bytes((tmp_path / "bag" / "bag.mcap").read_bytes())
    bag.close()
    recording = load_recording(copy, motion.names)
    np.testing.assert_array_equal(recording.position, motion.position[:300])
    assert recording.repairs[0] == (
        "copy.mcap was not closed by its recorder; all its records are complete."
    )


def test_at_most_a_chunk_is_buffered_in_memory(tmp_path):
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/text", STRING)
        for number in range(50):
            bag.write("/text", number, text("x" * 100_000))
            on_disk = (tmp_path / "bag" / "bag.mcap").stat().st_size
            assert bag.size - on_disk < 1.3 * 2**20


@pytest.mark.parametrize("what", ["folder", "file", "dangling link"])
def test_refuses_an_existing_destination_without_changing_it(tmp_path, what):
    place = tmp_path / "bag"
    if what == "folder":
        place.mkdir()
    elif what == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RecordingError, match=r"bag: already exists; nothing was overwritten\.$"):
        BagWriter(place)
    assert sorted(tmp_path.rglob("*")) == before


def test_refuses_a_parent_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RecordingError, match=r"file/bag: cannot be written \(Not a directory\)\.$"):
        BagWriter(tmp_path / "file" / "bag")


def test_creates_the_parent_folders(tmp_path):
    with BagWriter(tmp_path / "out" / "today" / "bag") as bag:
        bag.add_topic("/joint_states", JOINT_STATE)
    assert (tmp_path / "out" / "today" / "bag" / "metadata.yaml").is_file()


def test_discarding_leaves_nothing(tmp_path, messages):
    bag = BagWriter(tmp_path / "bag")
    bag.add_topic("/joint_states", JOINT_STATE)
    fill(bag, messages)
    bag.discard()
    assert not list(tmp_path.iterdir())


@pytest.fixture
def small_disk():
    """At most 200 kB fit into a file of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
@pytest.mark.parametrize("flushes", [1, 50])
def test_a_full_disk_is_reported_and_written_messages_can_be_read(
    tmp_path, make_motion, messages_of, flushes
):
    motion = make_motion(np.arange(4000) * 1_000_000)
    messages = messages_of(motion)
    bag = BagWriter(tmp_path / "bag")
    bag.add_topic("/joint_states", JOINT_STATE)

    def write_all():
        for start in range(0, 4000, 4000 // flushes):
            fill(bag, messages[start : start + 4000 // flushes])
            bag.flush()

    with pytest.raises(RecordingError, match=r"bag: cannot be written \(File too large\)\.$"):
        write_all()
    assert bag.size == (tmp_path / "bag" / "bag.mcap").stat().st_size == 200_000
    recording = load_recording(tmp_path / "bag", motion.names)
    count = len(recording.time)
    # MCAP adds 31 bytes to a message and 16 to the index
    assert count > 0.9 * 200_000 / (len(serialize(messages[0])) + 47)
    np.testing.assert_array_equal(recording.effort, motion.effort[:count])


@pytest.mark.usefixtures("small_disk")
def test_a_disk_that_is_full_at_the_end_is_reported(tmp_path, messages):
    bag = BagWriter(tmp_path / "bag")
    bag.add_topic("/joint_states", JOINT_STATE)
    for _ in range(4):
        fill(bag, messages)
    with pytest.raises(RecordingError, match="cannot be written"):
        bag.close()


def test_a_type_of_another_package_is_read_from_its_installation(tmp_path, monkeypatch):
    folder = tmp_path / "ros" / "share" / "my_robot_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Drive.msg").write_text("float64 current  # [A]\nuint8 FAULT=3\nuint8 status\n")
    (folder / "Arm.msg").write_text(
        "sensor_msgs/JointState state\nDrive[] drives\nDrive[2] spare\n"
    )
    states = tmp_path / "other" / "share"
    for kind in (
        "sensor_msgs/msg/JointState",
        "std_msgs/msg/Header",
        "builtin_interfaces/msg/Time",
    ):
        file = states / f"{kind}.msg"
        file.parent.mkdir(parents=True, exist_ok=True)
        definition, _ = TYPES.generate_msgdef(kind, ros_version=2)
        file.write_text(definition.partition("=" * 80)[0])
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'ros'}:{tmp_path / 'other'}")
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_topic("/arm", "my_robot_msgs/msg/Arm")
    with AnyReader([tmp_path / "bag"]) as reader:  # checks the hash against the definition
        (connection,) = reader.connections
        assert connection.msgtype == "my_robot_msgs/msg/Arm"
        assert "my_robot_msgs/msg/Drive" in reader.typestore.types
        assert reader.typestore.hash_rihs01(JOINT_STATE) == TYPES.hash_rihs01(JOINT_STATE)


@pytest.mark.parametrize(
    ("arm", "sentence"),
    [
        ("", r".*/Arm\.msg in one of"),
        ("Drive[] drives\n", r".*/Drive\.msg in one of"),
        ("float64[ current\n", "its definition cannot be read"),
    ],
)
def test_a_type_without_readable_definition_is_refused_by_name(
    tmp_path, monkeypatch, arm, sentence
):
    folder = tmp_path / "share" / "my_robot_msgs" / "msg"
    folder.mkdir(parents=True)
    if arm:
        (folder / "Arm.msg").write_text(arm)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    bag = BagWriter(tmp_path / "bag")
    with pytest.raises(RecordingError, match=f"my_robot_msgs/msg/Arm: {sentence}"):
        bag.add_topic("/arm", "my_robot_msgs/msg/Arm")
    bag.discard()


def test_a_definition_that_differs_from_the_publishers_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "sensor_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "JointState.msg").write_text("float64 of_next_year\n")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    bag = BagWriter(tmp_path / "bag")
    with pytest.raises(RecordingError, match="JointState: its publisher uses another definition"):
        bag.add_topic("/joint_states", JOINT_STATE, digest="RIHS01_" + 64 * "0")
    bag.add_topic("/old", JOINT_STATE, digest=TYPES.hash_rihs01(JOINT_STATE))
    bag.discard()
