from pathlib import Path

import numpy as np
import pytest
from support.synthetic import ARM_URDF

from dynid.errors import ConfigurationError, RecordingError
from dynid.profile import load_robot
from dynid.recording.joint_names import missing_joint, proposed_names, recorded_names
from dynid.robot.recordings import load_recording

FR3 = [f"fr3_joint{number}" for number in range(1, 8)]
PANDA = [f"panda_joint{number}" for number in range(1, 8)]


def test_a_pattern_maps_every_joint_and_an_exact_name_takes_precedence() -> None:
    names = {"panda_joint*": "fr3_joint*", "wrist": "fr3_joint7"}
    assert recorded_names(FR3, names) == (*PANDA[:6], "wrist")


def test_joints_without_an_entry_keep_their_names() -> None:
    assert recorded_names(["a", "b"], {"x": "b"}) == ("a", "x")


@pytest.mark.parametrize(
    ("wanted", "available", "proposal"),
    [
        (FR3, PANDA, {"panda*": "fr3*"}),
        (["left_elbow", "left_wrist"], ["wrist", "elbow"], {"*": "left_*"}),
        (["elbow", "wrist"], ["left_wrist", "left_elbow"], {"left_*": "*"}),
        (["joint1", "elbow2"], ["Elbow_2", "Joint_1"], {"Joint_1": "joint1", "Elbow_2": "elbow2"}),
        (["a", "elbow_joint"], ["a", "elbow"], {"elbow": "elbow_joint"}),
        (["shoulder", "elbow"], ["x", "y"], {}),
        (["shoulder", "elbow"], ["shoulder"], {}),
    ],
)
def test_a_mapping_is_proposed_only_where_it_is_clear(
    wanted: list[str], available: list[str], proposal: dict[str, str]
) -> None:
    assert proposed_names(wanted, available) == proposal
    renamed = recorded_names(wanted, proposal)
    assert not proposal or set(renamed) <= set(available)


def test_the_sentence_on_a_missing_joint_has_both_sets_and_the_mapping() -> None:
    sentence = missing_joint("work.mcap", FR3, PANDA)
    assert "joint 'fr3_joint1' is missing; available are panda_joint1" in sentence
    assert "expected fr3_joint1" in sentence
    assert "--set 'recording.names={panda*: fr3*}'" in sentence


def test_a_joint_that_is_not_recorded_can_be_locked() -> None:
    assert "left out of 'joints'" in missing_joint("work.mcap", ["a", "head"], ["a"])
    assert "left out of 'joints'" not in missing_joint("work.mcap", ["a", "head"], ["x", "y"])


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    time = np.arange(200) / 100
    columns = np.column_stack([np.sin(time), np.cos(time), np.sin(2 * time)])
    np.savez(
        tmp_path / "work.npz",
        time=time,
        position=columns,
        effort=3 * columns,
        joint_names=["l_shoulder", "l_elbow", "l_wrist"],
    )
    return tmp_path


def test_a_recording_with_other_names_is_read_with_the_mapping(arm: Path) -> None:
    with pytest.raises(RecordingError, match=r'recording\.names=\{l_\*: "\*"\}'):
        load_recording(arm / "work.npz", load_robot(arm / "arm.urdf"))
    robot = load_robot(arm / "arm.urdf", overrides=["recording.names={l_*: '*'}"])
    recording = load_recording(arm / "work.npz", robot)
    assert recording.joint_names == ("shoulder", "elbow", "wrist")
    assert recording.position[0].tolist() == [0, 1, 0]


@pytest.mark.parametrize("names", ["{l_*: elbow}", "{a: elbow, b: elbow}", "{'': elbow}"])
def test_an_unusable_mapping_is_refused(arm: Path, names: str) -> None:
    with pytest.raises(ConfigurationError, match=r"recording"):
        load_robot(arm / "arm.urdf", overrides=[f"recording.names={names}"])
