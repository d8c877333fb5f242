"""Files that unpack to much larger ones are refused with a sentence."""

import io
import sqlite3
import struct
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import zstandard
from lz4.frame import LZ4FrameCompressor
from mcap.data_stream import RecordBuilder
from mcap.records import Chunk, Header

from dynid import limits
from dynid.errors import ConfigurationError, RecordingError
from dynid.recording import timeline
from dynid.recording.limits import RecordingTooLargeError, check_memory
from dynid.recording.load import load_recording
from dynid.recording.mcap_records import MAGIC, DamagedRecordError, records
from dynid.recording.timeline import build_recording

NAMES = ["base", "elbow", "wrist"]
MIB = 2**20
SETTING = "DYNID_MAX_RECORDING_"


@pytest.fixture
def peak():
    """The largest memory for loading [bytes], for any stated size."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def zeros(compression, size):
    """Compressed zeros, made a piece at a time."""
    piece = bytes(MIB)
    if compression == "zstd":
        packer = zstandard.ZstdCompressor().compressobj()
        return b"".join([packer.compress(piece) for _ in range(size // MIB)]) + packer.flush()
    packer = LZ4FrameCompressor()
    return packer.begin() + b"".join(
        [packer.compress(piece) for _ in range(size // MIB)] + [packer.flush()]
    )


@pytest.fixture
def bomb(tmp_path):
    def write(compression, size, claimed, chunks=1):
        builder = RecordBuilder()
        Header("ros2", "bomb").write(builder)
        content = zeros(compression, size)
        for _ in range(chunks):
            Chunk(compression, content, 1, 0, 0, claimed).write(builder)
        file = tmp_path / "bomb.mcap"
        file.write_bytes(MAGIC + builder.end())
        return file

    return write


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_chunk_that_is_too_large_is_refused_before_it_is_unpacked(bomb, peak, compression):
    file = bomb(compression, 64 * MIB, limits.RECORDING_CHUNK_BYTES.most + 1)
    with pytest.raises(
        RecordingError, match=r"a chunk unpacks to .* set DYNID_MAX_RECORDING_CHUNK_BYTES"
    ):
        load_recording(file, NAMES)
    assert peak() < 8 * MIB


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_chunks_with_a_large_ratio_are_refused(bomb, peak, compression):
    file = bomb(compression, 8 * MIB, 8 * MIB, chunks=4)
    with pytest.raises(RecordingError, match=r"times as many bytes .*COMPRESSION_RATIO"):
        load_recording(file, NAMES)
    assert peak() < 40 * MIB


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_chunk_is_never_unpacked_beyond_its_stated_size(bomb, peak, compression):
    with pytest.raises(
        RecordingError, match=r"1 of 1 chunks are damaged|available topics are none"
    ):
        load_recording(bomb(compression, 64 * MIB, 1000), NAMES)
    assert peak() < 8 * MIB


def test_zeros_are_not_records():
    with pytest.raises(DamagedRecordError):
        next(records(bytes(18)))


def npz(path, compressed, shape, content):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compressed else 0) as archive:
        with archive.open("time.npy", "w") as member:
            member.write(header.getvalue())
            for piece in content:
                member.write(piece)
        for name, array in (
            ("position", np.zeros((3, 3))),
            ("effort", np.zeros((3, 3))),
            ("joint_names", np.array(NAMES)),
        ):
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    return path


def test_an_archive_that_is_too_large_is_refused_before_unpacking(tmp_path, peak, monkeypatch):
    file = npz(tmp_path / "log.npz", True, (8 * MIB,), [bytes(MIB)] * 64)
    assert file.stat().st_size < MIB
    with pytest.raises(RecordingError, match=r"times as many bytes .*COMPRESSION_RATIO"):
        load_recording(file, NAMES)
    monkeypatch.setenv(f"{SETTING}MEMORY", str(MIB))
    with pytest.raises(RecordingError, match=r"bytes of arrays.*RECORDING_MEMORY"):
        load_recording(file, NAMES)
    assert peak() < 8 * MIB


def test_an_array_with_a_wrong_stated_size_takes_no_memory(tmp_path, peak):
    file = npz(tmp_path / "log.npz", False, (10**12,), [bytes(800)])
    with pytest.raises(
        RecordingError, match=r"'time' is damaged \(its size differs from that in its header"
    ):
        load_recording(file, NAMES)
    assert peak() < 8 * MIB


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("LINE_BYTES=60", "line 1 has 61 characters or more, but at most 60 are allowed"),
        ("COLUMNS=9", "has 10 columns, but at most 9 are allowed"),
        ("CSV_BYTES=1000", "bytes, but at most 1000 are allowed"),
        (
            "MEMORY=1000",
            "contains 400 samples of 3 joints, which take 32000 bytes, but at most 1000",
        ),
        ("JOINTS=2", "names 3 joints, but at most 2 are allowed"),
    ],
)
def test_a_table_is_refused_beyond_every_limit(
    motion, write_csv, column_map, limit, sentence, monkeypatch
):
    file, (name, most) = write_csv(motion), limit.split("=")
    monkeypatch.setenv(SETTING + name, most)
    with pytest.raises(RecordingError, match=f"{sentence}.* set {SETTING}{name} to a larger"):
        load_recording(file, NAMES, columns=column_map())


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("MESSAGE_BYTES=100", "a message has .* bytes"),
        ("JOINTS=2", "a message names 3 joints"),
        ("TOPICS=1", "contains 2 topics"),
        ("MEMORY=1000", "contains 400 samples of 3 joints"),
    ],
)
def test_a_bag_is_refused_beyond_every_limit(
    motion, messages_of, write_messages, storage, limit, sentence, monkeypatch
):
    bag = write_messages({"/joint_states": messages_of(motion)}, storage=storage, strings=["/log"])
    name, most = limit.split("=")
    monkeypatch.setenv(SETTING + name, most)
    with pytest.raises(RecordingError, match=f"{sentence}.* set {SETTING}{name} to a larger"):
        load_recording(bag, NAMES)


def test_the_unpacked_size_of_a_compressed_file_is_limited(bomb, monkeypatch):
    monkeypatch.setenv(f"{SETTING}UNPACKED_BYTES", "1000")
    with pytest.raises(RecordingError, match=rf"unpacks to {MIB} bytes, .*_UNPACKED_BYTES"):
        load_recording(bomb("zstd", MIB, MIB), NAMES)


def test_a_larger_ratio_is_read_if_allowed(bomb, monkeypatch):
    monkeypatch.setenv(f"{SETTING}COMPRESSION_RATIO", "1000000")
    with pytest.raises(RecordingError, match=r"damaged|available topics are none"):
        load_recording(bomb("zstd", 8 * MIB, 8 * MIB, chunks=4), NAMES)


@pytest.mark.parametrize("name", ["MEMORY", "UNPACKED_BYTES", "JOINTS"])
def test_a_limit_that_is_not_a_number_is_a_configuration_error(tmp_path, name, monkeypatch):
    file = npz(tmp_path / "log.npz", False, (3,), [bytes(24)])
    monkeypatch.setenv(SETTING + name, "2 GiB")
    with pytest.raises(ConfigurationError, match=f"^{SETTING}{name}: must be a whole number"):
        load_recording(file, NAMES)


@pytest.mark.parametrize(
    "table",
    [
        "CREATE VIEW messages AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
        "SELECT id, 1 AS topic_id, id AS timestamp, x'00' AS data FROM n",
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, "
        "data BLOB GENERATED ALWAYS AS (zeroblob(1000000000)))",
    ],
)
def test_a_database_that_computes_its_messages_is_refused(tmp_path, peak, table):
    file = tmp_path / "endless.db3"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE topics (id, name, type, serialization_format)")
        database.execute(table)
    database.close()
    with pytest.raises(RecordingError, match=r"has no table of messages|messages is computed"):
        load_recording(file, NAMES)
    assert peak() < 8 * MIB


def test_stamps_a_nanosecond_apart_and_long_steps_do_not_fill_the_memory(make_motion, make_samples):
    stamps = np.concatenate([np.arange(2000), 2000 + 40_000_000 * np.arange(1, 1000)])
    assert len(build_recording(make_samples(make_motion(stamps))).time) < 10 * len(stamps)


def test_a_requested_rate_does_not_fill_the_memory(motion, make_samples):
    with pytest.raises(RecordingError, match=r"samples of 3 joints.*RECORDING_MEMORY"):
        build_recording(make_samples(motion), sampling_rate=1e12)


def test_an_hour_of_seven_joints_at_1_khz_is_within_the_limits():
    samples, joints = 3_600_000, 7
    check_memory(samples, joints, "log.mcap")
    # time and three signals of each joint, all digits of a float and a comma
    limits.RECORDING_CSV_BYTES.check(samples * (1 + 3 * joints) * 25, "log.csv: is too long")


def test_a_message_of_many_names_does_not_fill_the_memory(
    motion, messages_of, write_messages, peak
):
    messages = messages_of(motion)
    strange = [replace(one, name=[f"{row}_{n}" for n in "abc"]) for row, one in enumerate(messages)]
    bag = write_messages({"/joint_states": [messages[0], *strange]})
    with pytest.raises(RecordingError, match="contains 1 usable samples"):
        load_recording(bag, NAMES)
    assert peak() < 8 * MIB


def test_a_length_field_of_a_message_reserves_no_memory(
    tmp_path, motion, messages_of, write_messages, peak
):
    bag = write_messages({"/joint_states": messages_of(motion)})
    (file,) = bag.glob("*.mcap")
    content = file.read_bytes()
    names = struct.pack("<I", 3) + struct.pack("<I", 5) + b"base\0"
    assert names in content
    file.write_bytes(content.replace(names, struct.pack("<I", 2**32 - 1) + names[4:]))
    with pytest.raises(RecordingError, match="none of 400 messages could be decoded"):
        load_recording(file, NAMES)
    assert peak() < 8 * MIB


def test_a_grid_beyond_the_memory_is_refused_in_a_sentence(monkeypatch, motion, make_samples):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr(timeline, "_build", exhausted)
    with pytest.raises(RecordingTooLargeError, match=r"robot\.mcap: .* into the memory"):
        timeline.build_recording(make_samples(motion))


@pytest.fixture
def with_stamps(make_motion, make_samples):
    """Return samples of an even motion, 100 each second, with other stamps [s]."""

    def make(seconds):
        motion = make_motion(np.arange(len(seconds)) * 10_000_000)
        return make_samples(motion, stamps=np.rint(seconds * 1e9).astype(np.int64))

    return make


@pytest.mark.parametrize(
    ("changed", "value", "sentence"),
    [
        (1999, 1e5, r"robot\.mcap: sample 2000 is 99980 s .* 1e\+07 samples .*--stop 19\.990"),
        (1999, 1.7e9, r"robot\.mcap: sample 2000 is 1\.7e\+09 s after the one before"),
        (0, -4e4, r"robot\.mcap: sample 2 is 40000 s .*--start 40000\.000"),
        (slice(1000, None), 5e4 + np.arange(1000) / 100, r"sample 1001 is 49990 s"),
    ],
    ids=["last", "epoch", "first", "half"],
)
def test_a_stamp_that_is_far_off_makes_no_large_grid(with_stamps, peak, changed, value, sentence):
    seconds = np.arange(2000) / 100
    seconds[changed] = value
    with pytest.raises(RecordingError, match=sentence):
        build_recording(with_stamps(seconds))
    assert peak() < 8 * MIB


def test_the_span_named_beside_a_far_stamp_is_read(with_stamps):
    seconds = np.arange(2000) / 100
    seconds[1999] = 1e5
    assert len(build_recording(with_stamps(seconds), stop=19.99).time) == 1999


def test_a_pause_between_two_parts_of_a_recording_is_a_gap(with_stamps):
    seconds = np.arange(2000) / 100
    seconds[1000:] += 900
    assert len(build_recording(with_stamps(seconds)).gaps) == 1
