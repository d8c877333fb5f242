"""Trajectories are read from tables and messages by the joints' names, or refused in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from dynid.errors import DynidError, ExcitationError
from dynid.excitation.build import build_excitation
from dynid.excitation.files import read_excitation
from dynid.excitation.settings import TrajectoryColumns, TrajectorySettings
from dynid.excitation.spline import SplineExcitation
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.robot.limits import Limits
from dynid.simulation.simulate import simulate

JOINTS = ("joint_1", "joint_2")
FREE = Limits()

WAY = """time,joint_2,joint_1
0.0,0.0,0.1
1.0,0.4,0.3
2.5,-0.2,0.0
4.0,0.0,0.1
"""

# as `ros2 topic echo --once` writes it
MESSAGE = """header:
  stamp:
    sec: 12
    nanosec: 500000000
  frame_id: ''
joint_names:
- joint_2
- joint_1
points:
- positions:
  - 0.0
  - 0.1
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 0
    nanosec: 0
- positions:
  - 0.4
  - 0.3
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 1
    nanosec: 500000000
---
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def played(path: Path, limits: Limits = FREE, **settings: object) -> SplineExcitation:
    excitation = build_excitation(TrajectorySettings(file=str(path), **settings), limits, JOINTS)
    assert isinstance(excitation, SplineExcitation)
    return excitation


def message(points: list[dict], **changes: object) -> str:
    for second, point in enumerate(points):
        point.setdefault("time_from_start", {"sec": second, "nanosec": 0})
    return yaml.safe_dump({"joint_names": list(JOINTS), "points": points, **changes})


def test_columns_are_found_by_the_joints_names_or_as_they_are_given(tmp_path) -> None:
    excitation = played(written(tmp_path, "way.csv", WAY))
    at = excitation.evaluate([0.0, 1.0, 2.5, 4.0]).position
    assert np.allclose(at, [[0.1, 0.0], [0.3, 0.4], [0.0, -0.2], [0.1, 0.0]])
    assert excitation.duration == 4.0
    later = WAY.replace("\n0.0,", "\n-1.0,")  # the motion starts there
    assert played(written(tmp_path, "way.csv", later)).duration == 5.0
    path = written(tmp_path, "other.csv", "t;a;b\n0;0;0\n1;0,5;2\n")
    given = played(path, columns=TrajectoryColumns(time=1, position=("a", 3)))
    assert np.allclose(given.evaluate([1.0]).position, [[0.5, 2.0]])


def test_columns_of_velocity_are_found_by_their_names(tmp_path) -> None:
    text = (
        "time,joint_1,joint_2,joint_1_velocity,joint_2_velocity\n"
        "0,0,0,0,0\n1,0.5,0.1,0.3,-0.2\n2,1,0,0,0\n"
    )
    at = played(written(tmp_path, "way.csv", text)).evaluate([1.0])
    assert np.allclose(at.velocity, [[0.3, -0.2]])


def test_a_message_is_read_as_ros2_topic_echo_writes_it(tmp_path) -> None:
    excitation = played(written(tmp_path, "way.yaml", MESSAGE))
    assert np.allclose(excitation.evaluate([0.0, 1.5]).position, [[0.1, 0.0], [0.3, 0.4]])
    assert excitation.duration == 1.5
    text = (  # as ros2 topic pub takes it
        "{joint_names: [joint_1, joint_2], points: [{positions: [0, 0], time_from_start: {sec: 1}},"
        " {positions: [0.5, 1], time_from_start: {sec: 2, nanosec: 500000000}}]}"
    )
    assert played(written(tmp_path, "way.yaml", text)).duration == 1.5


def test_accelerations_of_a_message_are_kept_but_at_the_ends_where_it_rests(tmp_path) -> None:
    # as time-optimal planners write them
    points = [
        {"positions": [0, 0], "velocities": [0, 0], "accelerations": [2, 0]},
        {"positions": [1, 0], "velocities": [1, 0], "accelerations": [-2, 0]},
        {"positions": [1.5, 0], "velocities": [0, 0], "accelerations": [-2, 0]},
    ]
    at = played(written(tmp_path, "way.yaml", message(points))).evaluate([0.0, 1.0, 2.0])
    assert np.allclose(at.velocity[:, 0], [0, 1, 0])
    assert np.allclose(at.acceleration[:, 0], [0, -2, 0])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "way.csv: is empty"),
        ("time,joint_1,joint_2\n", "way.csv: contains a header but no rows"),
        (WAY.replace("joint_1", "elbow"), "way.csv: column 'joint_1' does not exist; available"),
        (WAY.replace("2.5,", "1.0,"), "time of point 3 is 1 s, after 1 s; times must be numbers"),
        (WAY.replace("2.5,", "nan,"), "the time of point 3 is nan s"),
        (
            WAY.replace("0.4", "fast"),
            "way.csv: line 3, column 2 contains 'fast', expected a number",
        ),
        (WAY.replace("0.4", "nan"), "the position of joint 'joint_2' at point 2 is nan"),
        (WAY.replace("0.4", ""), "the position of joint 'joint_2' at point 2 is nan"),
        (WAY.replace("0.4", "inf"), "the position of joint 'joint_2' at point 2 is inf"),
        (WAY.replace("0.4,", ""), "way.csv: line 3 has 2 columns, expected 3"),
        (WAY[:-5], "its last line is incomplete"),
        (
            WAY.replace("4.0,", "4e9,"),
            "lasts 4e+09 s, expected 0.02 to 3600 s; are its times in s?",
        ),
        ("\n".join(WAY.split("\n")[:2]) + "\n", "has a single point"),
        ("0,0,0\n1,1,1\n", "way.csv: has no header, so column 'joint_1' cannot be found"),
        (
            "time,joint_1,joint_2,joint_1_velocity\n0,0,0,0\n1,1,1,0\n",
            "column 'joint_2_velocity' does not exist",
        ),
        (
            "time,joint_1,joint_2,joint_1_acceleration,joint_2_acceleration\n"
            "0,0,0,0,0\n1,1,1,0,0\n",
            "has accelerations but no velocities",
        ),
        (
            "time,joint_1,joint_2,joint_1_velocity,joint_2_velocity\n0,0,0,0,0\n1,1,1,0,0.5\n",
            "the velocity of joint 'joint_2' is 0.5 at the last point; a motion must start and end",
        ),
    ],
)
def test_a_bad_table_is_refused_in_a_sentence(tmp_path, text: str, sentence: str) -> None:
    with pytest.raises(DynidError, match=re.escape(sentence)):
        played(written(tmp_path, "way.csv", text))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (MESSAGE.replace("joint_2", "elbow"), "joint_names are elbow, joint_1; expected 'joint_2'"),
        (MESSAGE.replace("- joint_1", "- joint_1\n- hand"), "way.yaml: also moves 'hand'"),
        (MESSAGE + MESSAGE, "way.yaml: contains 2 messages; keep only one"),
        (MESSAGE.replace("  - 0.3\n", "  - '...'\n"), "use its option --full-length"),
        (MESSAGE.replace("  - 0.3\n", ""), "point 2 has 1 positions, expected 2 (one per joint)"),
        (MESSAGE.replace("- 0.3", "- .nan"), "must be a finite number"),
        (MESSAGE.replace("- 0.3", "- up"), "must be"),
        (MESSAGE.replace("sec: 1\n", "sec: -1\n"), "the time of point 2 is -0.5 s, after 0 s"),
        (MESSAGE.replace("points", "pionts"), "unknown key 'pionts'; did you mean 'points'"),
        ("joint_names: [joint_1, joint_2]\npoints: []\n", "key 'points': must have at least 2"),
        ("joint_names: [", "way.yaml: is not valid YAML"),
        ("- joint_names: [a]\n", "must be a mapping"),
        (message([{"positions": []}, {"positions": []}]), "its points have no positions"),
        (
            message([{"positions": [0, 0], "velocities": [0, 0]}, {"positions": [1, 1]}]),
            "point 2 has 0 velocities, expected 2 (one per joint) at every point",
        ),
    ],
)
def test_a_bad_message_is_refused_in_a_sentence(tmp_path, text: str, sentence: str) -> None:
    with pytest.raises(DynidError, match=re.escape(sentence)):
        played(written(tmp_path, "way.yaml", text))


@pytest.mark.parametrize("name", ["way.csv", "way.yaml"])
def test_a_file_that_is_not_there_is_named(tmp_path, name: str) -> None:
    with pytest.raises(DynidError, match=rf"{name}: there is no such file"):
        played(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "columns", "sentence"),
    [
        ("way.yaml", MESSAGE, {"time": "t"}, "'columns' apply to CSV files only"),
        (
            "way.csv",
            WAY,
            {"position": ("joint_1",)},
            "columns.position lists 1 columns, expected 2",
        ),
    ],
)
def test_columns_are_one_per_joint_and_of_tables_only(
    tmp_path, name: str, text: str, columns: dict, sentence: str
) -> None:
    with pytest.raises(DynidError, match=sentence):
        played(written(tmp_path, name, text), columns=TrajectoryColumns(**columns))


def test_limits_between_the_points_are_kept_or_the_motion_is_refused(tmp_path) -> None:
    path = written(tmp_path, "way.csv", WAY)
    highest = np.abs(played(path).evaluate(np.linspace(0, 4, 4001)).position).max(axis=0)
    assert highest[1] > 0.405  # beyond its points
    within = tuple((-1.01 * value, 1.01 * value) for value in highest.tolist())
    played(path, Limits(position=within))
    with pytest.raises(ExcitationError, match="joint 'joint_2': position reaches"):
        played(path, Limits(position=(within[0], (-0.405, 0.405))))


def dense(folder: Path, size: float = 0.5, wobble: float = 0.0) -> Path:
    """One second at 1 kHz and six decimals: a quintic step there and back, and a wobble on it."""
    time = np.arange(2001) / 1000
    x = 1 - np.abs(time - 1)
    step = size * x**3 * (10 + x * (6 * x - 15)) + wobble * (np.arange(2001) % 7 == 3)
    rows = [f"{t:.3f},{one:.6f},0" for t, one in zip(time, step, strict=True)]
    return written(folder, "way.csv", "\n".join(["time,joint_1,joint_2", *rows, ""]))


def test_points_of_a_fast_log_are_decimated_to_limit_the_effect_of_rounding(tmp_path) -> None:
    excitation = played(dense(tmp_path))
    assert excitation.evaluate([1.0]).position[0, 0] == pytest.approx(0.5, abs=1e-4)
    # 10 / sqrt(3) times the size, where a step of rounding alone would be 1 rad/s^2
    acceleration = excitation.evaluate(np.linspace(0, 2, 5001)).acceleration[:, 0]
    assert np.abs(acceleration).max() == pytest.approx(0.5 * 10 / np.sqrt(3), rel=0.02)


def test_a_log_that_is_not_smooth_is_refused(tmp_path) -> None:
    with pytest.raises(ExcitationError, match=r"joint 'joint_1' is at .* from the smooth motion"):
        played(dense(tmp_path, wobble=0.01))


@pytest.mark.parametrize(("name", "text"), [("way.csv", WAY), ("way.yaml", MESSAGE)])
def test_an_excitation_file_names_a_trajectory_beside_it_or_is_one(tmp_path, name, text) -> None:
    bare = written(tmp_path, name, text)
    naming = written(tmp_path, "e.yaml", f"excitation: {{type: trajectory, file: {name}}}\n")
    for file in (bare, naming):
        assert read_excitation(file) == TrajectorySettings(file=str(bare))


def test_a_profile_names_a_trajectory_beside_it(tmp_path) -> None:
    written(tmp_path, "way.csv", WAY)
    text = (Path(__file__).parents[3] / "config/robots/scara_2r.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text) | {"excitation": {"type": "trajectory", "file": "way.csv"}}
    path = written(tmp_path, "mine.yaml", yaml.safe_dump(content))
    assert make_plan(load_robot(str(path))).excitation.duration == 4.0


def test_a_trajectory_is_planned_and_simulated(tmp_path) -> None:
    robot = load_robot("scara_2r")
    plan = make_plan(robot, excitation=written(tmp_path, "way.csv", WAY))
    assert np.allclose(plan.start, [0.1, 0.0])
    recording = simulate(robot, plan.excitation)
    assert np.allclose(np.asarray(recording.position)[-1], [0.1, 0.0], atol=0.02)
    assert np.ptp(np.asarray(recording.position)[:, 1]) == pytest.approx(0.6, abs=0.1)
