"""Raw messages of a bag, and the error of each function for a missing recording."""

from __future__ import annotations

import pytest

from dynid.errors import RecordingError
from dynid.recording.bag import read_messages
from dynid.recording.info import describe
from dynid.recording.load import load_recording


@pytest.mark.parametrize(
    "opened", [read_messages, describe, lambda path: load_recording(path, ["base"])]
)
@pytest.mark.parametrize("name", ["absent", "absent.mcap", 300 * "a"])
def test_a_missing_recording_is_named_by_its_path(tmp_path, opened, name) -> None:
    with pytest.raises(RecordingError) as raised:
        opened(tmp_path / name)
    assert str(raised.value) == f"{tmp_path / name}: there is no such file or folder."


def test_messages_are_in_the_order_of_reception(motion, messages_of, write_messages) -> None:
    bag = write_messages({"/joint_states": messages_of(motion)})
    times = [message.receive_time for message in read_messages(bag)]
    assert len(times) == 400
    assert times == sorted(times)
