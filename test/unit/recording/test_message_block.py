"""Messages read in bulk, against the same messages read one by one."""

from itertools import chain

import numpy as np
import pytest
import zstandard
from rosbags.typesys import Stores, get_typestore

from dynid.recording.jointstate import JOINT_STATE, JointStates
from dynid.recording.storage import in_blocks, unpacked

TYPES = get_typestore(Stores.ROS2_JAZZY)
ARM, GRIPPER = ["base", "elbow", "wrist"], ["left", "right"]


def message_of(random, names, lengths, frame="", nanosec=None):
    header = TYPES.types["std_msgs/msg/Header"]
    time = TYPES.types["builtin_interfaces/msg/Time"]
    stamp = time(int(random.integers(-5, 2**31)), int(nanosec or random.integers(10**9)))
    values = [random.standard_normal(length) for length in lengths]
    state = TYPES.types[JOINT_STATE](header(stamp, frame), list(names), *values)
    return bytes(TYPES.serialize_cdr(state, JOINT_STATE))


def mixed(random):
    """Return messages of many kinds, in random order."""
    kinds = [
        lambda: message_of(random, ARM, (3, 3, 3)),
        lambda: message_of(random, ARM, (3, 0, 3), frame="world"),
        lambda: message_of(random, ARM[::-1], (3, 3, 3)),
        lambda: message_of(random, [*ARM, "lift"], (4, 4, 4), frame="x"),
        lambda: message_of(random, GRIPPER, (2, 2, 2)),
        lambda: message_of(random, ARM, (3, 3, 0)),
        lambda: message_of(random, ARM, (3, 2, 3)),
        lambda: message_of(random, ARM, (3, 3, 3), nanosec=2**31),
        lambda: message_of(random, ARM, (3, 3, 3))[:-9],
        lambda: message_of(random, ARM, (3, 3, 3)) + bytes(3),
        lambda: zstandard.compress(message_of(random, ARM, (3, 3, 3))),
        lambda: b"",
    ]
    often = np.r_[np.full(5, 10.0), np.ones(len(kinds) - 5)]
    chosen = random.choice(len(kinds), 400, p=often / often.sum())
    times = random.integers(0, 2**63 + 2**58, 400, dtype=np.uint64).tolist()
    return [(time, kinds[kind]()) for time, kind in zip(times, chosen, strict=True)]


def outcome(states):
    samples = states.samples()
    arrays = (samples.stamps, samples.position, samples.velocity, samples.effort)
    bits = [None if one is None else one.tobytes() for one in arrays]
    return bits, samples.joint_names, samples.repairs, samples.flaws


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("joints", [None, ["wrist", "base"]])
def test_messages_in_bulk_give_the_samples_of_single_ones(monkeypatch, seed, joints):
    messages = mixed(np.random.default_rng(seed))
    bulk, single = JointStates(joints, "bag"), JointStates(joints, "bag")
    parts = [part for block in in_blocks(messages) for part in unpacked(block, 2**20)]
    for part in parts:
        bulk.add_block(part)
    monkeypatch.setattr("dynid.recording.joint_state_layout._MOST_ATTEMPTS", 0)
    for message in chain(*(part.messages() for part in parts)):
        single.add_block(*in_blocks([message]))
    assert outcome(bulk) == outcome(single)


def test_single_compressed_messages_are_decompressed():
    raw = b"message" * 10
    messages = [(1, raw), (2, zstandard.compress(raw)), (3, zstandard.compress(raw + raw))]
    found = [
        one
        for block in in_blocks(messages)
        for part in unpacked(block, 100)
        for one in part.messages()
    ]
    assert found == [(1, raw), (2, raw), messages[2]]  # larger than the limit


def test_blocks_have_a_limited_size(monkeypatch):
    monkeypatch.setattr("dynid.recording.storage._BLOCK", 50)
    messages = [(n, bytes(n % 7)) for n in range(100)] + [(100, bytes(80))]
    blocks = list(in_blocks(messages))
    parts = [part for block in blocks for part in block.parts()]
    assert [one for part in parts for one in part.messages()] == messages
    assert all(len(part.times) == 1 or (part.ends - part.begins).sum() <= 50 for part in parts)
