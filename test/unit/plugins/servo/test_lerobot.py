"""Episodes of LeRobot datasets of both layouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording
from dynid.robot.recordings import load_recording as load_of_robot

arrow = pytest.importorskip(
    "pyarrow", reason="pyarrow is not installed: pip install 'dynid[lerobot]'"
)
parquet = pytest.importorskip("pyarrow.parquet")

JOINTS = ("shoulder", "elbow")
FPS, LENGTH = 30, 45


def state(episode: int) -> np.ndarray:
    time = np.arange(LENGTH)[:, None] / FPS
    return np.asarray(20 * np.sin(2 * np.pi * time + np.arange(2)) + 5 * episode)


def rows(episode: int) -> dict[str, Any]:
    degrees = state(episode).astype(np.float32)
    return {
        "observation.state": degrees.tolist(),
        "action": (degrees + 1).tolist(),
        "timestamp": (np.arange(LENGTH) / FPS).astype(np.float32),
        "episode_index": np.full(LENGTH, episode),
    }


def write_info(folder: Path, episodes: int, **changes: Any) -> None:
    feature = {"dtype": "float32", "names": [f"{one}.pos" for one in JOINTS], "unit": "degrees"}
    info = {
        "fps": FPS,
        "total_episodes": episodes,
        "features": {"observation.state": feature, "action": feature},
    }
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info | changes))


def write_v2(folder: Path, episodes: int = 3, **changes: Any) -> Path:
    """One file for each episode."""
    write_info(folder, episodes, codebase_version="v2.1", **changes)
    chunk = folder / "data" / "chunk-000"
    chunk.mkdir(parents=True)
    for one in range(episodes):
        parquet.write_table(arrow.table(rows(one)), chunk / f"episode_{one:06d}.parquet")
    return folder


def write_v3(folder: Path, episodes: int = 3, **changes: Any) -> Path:
    """Two episodes in each file."""
    write_info(folder, episodes, codebase_version="v3.0", **changes)
    chunk = folder / "data" / "chunk-000"
    chunk.mkdir(parents=True)
    for number in range(0, episodes, 2):
        tables = [arrow.table(rows(one)) for one in range(number, min(number + 2, episodes))]
        joined = arrow.concat_tables(tables)
        parquet.write_table(joined, chunk / f"file-{number // 2:03d}.parquet")
    return folder


@pytest.mark.parametrize("write", [write_v2, write_v3])
@pytest.mark.parametrize("episode", [0, 1, 2])
def test_reads_the_named_episode_of_either_layout(tmp_path: Path, write: Any, episode: int) -> None:
    dataset = write(tmp_path / "set")
    found = load_recording(dataset / f"episode_{episode:06d}", ("elbow", "shoulder"))
    expected = np.radians(state(episode))[:, ::-1]
    assert found.position == pytest.approx(expected, abs=1e-5)
    assert found.effort == pytest.approx(expected + np.radians(1), abs=1e-5)
    assert found.sampling_rate == pytest.approx(FPS, rel=1e-4)
    assert found.sources[0].name == f"set/episode_{episode:06d}"


def test_reads_the_only_episode_by_the_folder_alone(tmp_path: Path) -> None:
    found = load_recording(write_v3(tmp_path / "set", 1), None)
    assert found.joint_names == JOINTS


def test_reads_an_episodes_own_file(tmp_path: Path) -> None:
    file = write_v2(tmp_path / "set") / "data" / "chunk-000" / "episode_000002.parquet"
    assert load_recording(file, None).position == pytest.approx(np.radians(state(2)), abs=1e-5)


def test_a_column_map_scales_what_info_leaves_open(tmp_path: Path) -> None:
    feature = {"names": {"motors": ["shoulder", "elbow"]}}
    features = {"observation.state": feature, "action": feature}
    dataset = write_v3(tmp_path / "set", 1, features=features)
    with pytest.raises(RecordingError, match=r"joint's range; give the factor to radians"):
        load_recording(dataset, None)
    columns = ColumnMap.model_validate(
        {
            "time": {"column": "timestamp"},
            "joints": ["a"],
            "position": {"columns": ["observation.state.elbow"], "factor": 0.02, "offset": 0.1},
            "effort": {"columns": ["action.elbow"], "factor": 0.02, "offset": 0.1},
        }
    )
    found = load_recording(dataset, ("a",), columns=columns)
    assert found.position[:, 0] == pytest.approx(0.02 * state(0)[:, 1] + 0.1, abs=1e-6)
    assert found.effort[:, 0] == pytest.approx(0.02 * (state(0)[:, 1] + 1) + 0.1, abs=1e-6)


def test_a_column_map_of_a_dataset_has_delays_and_velocities(tmp_path: Path) -> None:
    dataset = write_v3(tmp_path / "set", 1)
    columns = ColumnMap.model_validate(
        {
            "time": {"column": "timestamp"},
            "joints": ["a"],
            "position": {"columns": ["observation.state.elbow.pos"]},
            "velocity": {"columns": ["action.elbow.pos"]},
            "effort": {"columns": ["action.elbow.pos"], "delay": 2 / FPS},
        }
    )
    found = load_recording(dataset, ("a",), columns=columns)
    assert found.velocity is not None
    inner = slice(2, 30)
    assert found.velocity[inner, 0] == pytest.approx(state(0)[inner, 1] + 1, abs=1e-3)
    assert found.effort[inner, 0] == pytest.approx(state(0)[4:32, 1] + 1, abs=1e-3)
    assert any("back in time (delay of the column map)" in note for note in found.repairs)


@pytest.mark.parametrize("name", ["", "episode_000003"])
def test_refuses_an_episode_that_is_not_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordingError, match="has 3 episodes; name one"):
        load_recording(write_v2(tmp_path / "set") / name, None)


def test_refuses_a_dataset_without_its_data(tmp_path: Path) -> None:
    dataset = write_v2(tmp_path / "set")
    (dataset / "data" / "chunk-000" / "episode_000001.parquet").unlink()
    with pytest.raises(RecordingError, match="download the dataset's data folder"):
        load_recording(dataset / "episode_000001", None)


@pytest.mark.parametrize("content", [b"", b"PAR1 no parquet PAR1", b"\x00" * 400])
def test_refuses_a_damaged_file_by_name(tmp_path: Path, content: bytes) -> None:
    dataset = write_v2(tmp_path / "set")
    (dataset / "data" / "chunk-000" / "episode_000001.parquet").write_bytes(content)
    with pytest.raises(RecordingError, match=r"episode_000001\.parquet cannot be read as Parquet"):
        load_recording(dataset / "episode_000001", None)


_NO_NAMES = '{"features": {"observation.state": {"names": {}}, "action": {"names": []}}}'
_ENDLESS = (
    '{"features": {"observation.state": {"names": ["a"]}, "action": {"names": ["a"]}}, '
    '"total_episodes": Infinity}'
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"features": {}}',
        '{"features": {"observation.state": 3}}',
        _NO_NAMES,
        _ENDLESS,
    ],
)
def test_refuses_an_info_that_names_no_elements(tmp_path: Path, text: str) -> None:
    dataset = write_v2(tmp_path / "set")
    (dataset / "meta" / "info.json").write_text(text)
    with pytest.raises(RecordingError, match=r"info\.json does not describe"):
        load_recording(dataset, None)


def test_refuses_more_numbers_than_the_limit_before_it_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # equal numbers take next to nothing in a file
    dataset = write_v2(tmp_path / "set", 1)
    monkeypatch.setenv("DYNID_MAX_RECORDING_MEMORY", str(8 * LENGTH * 6 - 1))
    with pytest.raises(RecordingError, match=rf"contains {LENGTH * 6} numbers, .*MEMORY"):
        load_recording(dataset, None)


@pytest.mark.parametrize("missing", ["observation.state", "action", "timestamp", "episode_index"])
def test_refuses_a_file_without_a_column(tmp_path: Path, missing: str) -> None:
    dataset = write_v2(tmp_path / "set", 1)
    left = {name: values for name, values in rows(0).items() if name != missing}
    file = dataset / "data" / "chunk-000" / "episode_000000.parquet"
    parquet.write_table(arrow.table(left), file)
    with pytest.raises(RecordingError, match=r"cannot be read as Parquet with the columns"):
        load_recording(dataset, None)


def test_refuses_vectors_of_another_length(tmp_path: Path) -> None:
    dataset = write_v2(tmp_path / "set", 1)
    damaged = rows(0) | {"action": [[0.0]] * LENGTH}
    file = dataset / "data" / "chunk-000" / "episode_000000.parquet"
    parquet.write_table(arrow.table(damaged), file)
    with pytest.raises(RecordingError, match="'action' must hold 2 numbers"):
        load_recording(dataset, None)


def test_an_episode_of_an_arm_of_servos_has_their_torque(tmp_path: Path) -> None:
    robot = load_robot("so101")
    feature = {"names": [f"{one}.pos" for one in robot.joints], "unit": "degrees"}
    features = {"observation.state": feature, "action": feature}
    dataset = tmp_path / "set"
    write_info(dataset, 1, features=features)
    (dataset / "data" / "chunk-000").mkdir(parents=True)
    still = [[10.0] * 6] * LENGTH
    table = rows(0) | {"observation.state": still, "action": [[11.0] * 6] * LENGTH}
    file = dataset / "data" / "chunk-000" / "file-000.parquet"
    parquet.write_table(arrow.table(table), file)
    found = load_of_robot(dataset, robot)
    stall = 7.4 * 1.2116 / 2.6762
    assert found.effort == pytest.approx(np.full_like(found.effort, stall * 2.656 * np.radians(1)))


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_an_altered_value_is_noticed(tmp_path: Path, write: Any) -> None:
    dataset = write(tmp_path / "set")
    (file, *_) = sorted((dataset / "data" / "chunk-000").iterdir())
    plain = {"compression": "none", "use_dictionary": False}
    parquet.write_table(parquet.read_table(file), file, **plain)
    content, last = file.read_bytes(), rows(0 if write is write_v2 else 1)["observation.state"]
    largest = max(last)  # of the first joint
    old = np.array(largest).tobytes()
    assert old in content
    new = np.array([90, largest[1]]).tobytes()
    file.write_bytes(content.replace(old, new))
    with pytest.raises(RecordingError, match=r"'observation\.state' are from .* to 90, but"):
        load_recording(dataset / "episode_000000", JOINTS)


def test_values_beyond_normalised_ones_are_in_degrees(tmp_path: Path) -> None:
    dataset = write_v3(tmp_path / "set", 25)
    forget_unit(dataset)
    found = load_recording(dataset / "episode_000024", JOINTS)
    assert found.position == pytest.approx(np.radians(state(24)), abs=1e-5)
    assert "values up to 141 are beyond normalised ones (100)" in found.repairs[0]


def test_info_proposes_a_map_where_the_unit_is_in_doubt(tmp_path: Path) -> None:
    dataset = write_v2(tmp_path / "set")
    forget_unit(dataset)
    episode = dataset / "episode_000001"
    info = describe(episode, joints=("elbow", "shoulder"))
    assert info.problem is not None
    assert "may be degrees or percent of each joint's range" in info.problem
    assert info.proposal is not None
    assert info.proposal.joints == ("elbow", "shoulder")
    mapped = load_recording(episode, ("elbow", "shoulder"), columns=info.proposal)
    assert mapped.position == pytest.approx(np.radians(state(1))[:, ::-1], abs=1e-5)
    assert mapped.effort == pytest.approx(np.radians(state(1) + 1)[:, ::-1], abs=1e-5)


def test_info_shows_an_episode(tmp_path: Path) -> None:
    dataset = write_v3(tmp_path / "set")
    info = describe(dataset / "episode_000002")
    assert (info.kind, info.problem) == ("lerobot", None)
    assert info.size == (dataset / "data" / "chunk-000" / "file-001.parquet").stat().st_size
    assert [joint.name for joint in info.joints] == list(JOINTS)


def test_info_refuses_an_episode_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="has 3 episodes; name one from episode_000000"):
        describe(write_v3(tmp_path / "set") / "episode_000003")


def forget_unit(dataset: Path) -> None:
    file = dataset / "meta" / "info.json"
    info = json.loads(file.read_text())
    for feature in info["features"].values():
        del feature["unit"]
    file.write_text(json.dumps(info))
