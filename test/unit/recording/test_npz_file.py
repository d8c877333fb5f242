import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.load import load_recording


def test_reads_the_joints_by_name(write_npz, motion):
    recording = load_recording(write_npz(motion), ["wrist", "base"])
    np.testing.assert_array_equal(recording.position, motion.position[:, [2, 0]])
    np.testing.assert_array_equal(recording.velocity, motion.velocity[:, [2, 0]])
    assert recording.sampling_rate == 100.0
    assert recording.sources[0].kind == "npz"


def test_velocity_is_optional(write_npz, motion):
    assert load_recording(write_npz(motion, velocity=None), motion.names).velocity is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"effort": None}, "array 'effort' is missing"),
        ({"effort": np.zeros((400, 2))}, "array 'effort' is 400 x 2, expected 400 x 3"),
        ({"time": np.zeros((400, 1))}, "array 'time' is 400 x 1, expected N"),
        ({"position": np.full((400, 3), "a")}, "array 'position' contains <U1, expected numbers"),
        ({"joint_names": np.array(["a", "b", "c"])}, "joint 'base' is missing; available are a"),
        ({"position": np.full((400, 3), None)}, "it contains Python objects, expected numbers"),
    ],
)
def test_refuses_arrays_that_do_not_fit(write_npz, motion, changes, sentence):
    with pytest.raises(RecordingError, match=sentence):
        load_recording(write_npz(motion, **changes), motion.names)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_refuses_a_truncated_archive(write_npz, motion, share):
    file = write_npz(motion)
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(RecordingError, match="cannot be read as an"):
        load_recording(file, motion.names)
