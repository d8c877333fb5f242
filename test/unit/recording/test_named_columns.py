"""Columns are matched to a robot's joints by name, number and unit, and doubts are not guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from dynid.errors import RecordingError
from dynid.recording.column_proposal import proposal_text, propose_columns
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import load_recording

JOINTS = ("j1", "j2", "j3")
UR = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint")
TIME = np.arange(0, 3, 0.01)
ANGLES = np.column_stack([np.sin((1 + k) * TIME) for k in range(3)])
SPEEDS = np.column_stack([(1 + k) * np.cos((1 + k) * TIME) for k in range(3)])
TORQUES = np.column_stack([5 * np.sin(TIME + k) for k in range(3)])


def series(pattern: str, numbers: range = range(1, 4)) -> list[str]:
    return [pattern.format(number) for number in numbers]


def headed(*patterns: str, numbers: range = range(1, 4)) -> list[str]:
    """Return a header of which each name with a place for a number is that of a series."""
    return [name for one in patterns for name in (series(one, numbers) if "{}" in one else [one])]


def per_joint(*patterns: str) -> list[str]:
    return [pattern.format(number) for number in range(1, 4) for pattern in patterns]


@pytest.mark.parametrize(
    ("header", "position", "effort"),
    [
        (
            ["t(ms)", *per_joint("J{}_act_pos_rad", "J{}_act_trq_Nm")],
            "J{}_act_pos_rad",
            "J{}_act_trq_Nm",
        ),
        (
            headed("Zeit [s]", "Achse {} Ist-Position [°]", "Achse {} Moment [Nm]"),
            "Achse {} Ist-Position [°]",
            "Achse {} Moment [Nm]",
        ),
        (headed("t", "Axis {}.ActPos", "Axis {}.ActTorque"), "Axis {}.ActPos", "Axis {}.ActTorque"),
        (
            headed("t", "axis{}.actpos", "axis{}.setpos", "axis{}.acttorque"),
            "axis{}.actpos",
            "axis{}.acttorque",
        ),
        (
            ["__time", *per_joint("/js/j{}/position", "/js/j{}/effort"), "/tf/x"],
            "/js/j{}/position",
            "/js/j{}/effort",
        ),
        (headed("t", "joint{}_angle_deg", "joint{}_torque"), "joint{}_angle_deg", "joint{}_torque"),
        (headed("t", "q[{}]", "tau[{}]"), "q[{}]", "tau[{}]"),
        (headed("t", "q_{}", "q_d_{}", "tau_{}", "tau_ext_{}"), "q_{}", "tau_{}"),
        (headed("t", "arm.q{}", "rail.q{}", "arm.tau{}"), "arm.q{}", "arm.tau{}"),
        (headed("t", "j{}_position", "j{}_torque", "j{}_current"), "j{}_position", "j{}_torque"),
    ],
)
def test_each_joint_gets_its_own_columns(header: list[str], position: str, effort: str) -> None:
    columns = propose_columns(header, JOINTS, effort="torque")
    assert columns is not None
    assert columns.joints == JOINTS
    assert columns.position.columns == tuple(series(position))
    assert columns.effort.columns == tuple(series(effort))


def test_numbers_from_zero_are_not_those_of_the_joints() -> None:
    header = headed("time_ns", "q_{}", "tau_J_{}", numbers=range(3))
    columns = propose_columns(header, JOINTS)
    assert columns is not None
    assert columns.effort.columns == ("tau_J_0", "tau_J_1", "tau_J_2")


def test_numbers_of_joints_count_more_than_their_order() -> None:
    header = headed("t", "q{}", "tau{}")
    columns = propose_columns(header, ("joint_3", "joint_1", "joint_2"))
    assert columns is not None
    assert columns.position.columns == ("q3", "q1", "q2")


def test_names_in_the_rows_decide_about_the_order() -> None:
    order = (2, 1, 0, 3)  # alphabetical, as drivers publish it
    header = ["%time", *(f"field.{s}{n}" for s in ("name", "position", "effort") for n in range(4))]
    row = ["0", *(UR[joint] for joint in order), *("0" for _ in range(8))]
    columns = propose_columns(header, UR, first_row=row)
    assert columns is not None
    assert columns.position.columns == tuple(f"field.position{n}" for n in (2, 1, 0, 3))


@pytest.mark.parametrize(
    ("header", "joints"),
    [
        (headed("t", "q{}", "tau{}", numbers=range(4)), JOINTS),  # one column too many
        (headed("t", "q{}", "tau{}", numbers=range(3)), ("j3", "j1", "j2")),
        (headed("t", "q_{}", "tau_ext_{}"), JOINTS),
        (headed("t", "q_{}", "tau_d_{}"), JOINTS),
        (headed("t", "q_{}", "motor_torque_{}"), JOINTS),
        (headed("t", "tcp_pos_{}", "torque_{}"), JOINTS),
        (headed("t", "q_{}", "theta_{}", "tau_{}"), JOINTS),
        (headed("t", "q{}", "tau{}", "torque{}"), JOINTS),
        (headed("t", "left.q{}", "right.q{}", "left.tau{}", "right.tau{}"), JOINTS),
        (headed("t", "a{}", "b{}"), JOINTS),
        (headed("t", "q{}", "force_{}"), JOINTS),
    ],
)
def test_doubts_are_not_guessed(header: list[str], joints: tuple[str, ...]) -> None:
    columns = propose_columns(header, joints, effort="torque")
    assert columns is None or columns.joints != joints


def written(path: Path, header: list[str], *signals: np.ndarray) -> Path:
    values = np.column_stack(signals)
    np.savetxt(path, values, fmt="%.9g", delimiter=",", header=",".join(header), comments="")
    return path


def test_a_recording_is_read_by_its_names_and_says_so(tmp_path: Path) -> None:
    header = headed("t", "q{}", "dq{}", "tau{}")
    path = written(tmp_path / "log.csv", header, TIME, ANGLES, SPEEDS, TORQUES)
    recording = load_recording(path, JOINTS, effort="torque")
    np.testing.assert_allclose(recording.effort, TORQUES, atol=1e-7)
    assert any(note.startswith("Columns were chosen by their names") for note in recording.repairs)


def test_the_proposed_map_runs_unchanged(tmp_path: Path) -> None:
    header = headed("timestamp_ms", "J{}_pos_deg", "J{}_trq_mNm")
    path = written(tmp_path / "log.csv", header, TIME * 1e3, np.degrees(ANGLES), TORQUES * 1e3)
    columns = describe(path, joints=JOINTS).proposal
    assert columns is not None
    assert "J1_pos_deg" in proposal_text(columns)
    recording = load_recording(path, JOINTS, columns=columns)
    np.testing.assert_allclose(recording.position, ANGLES, atol=1e-6)
    np.testing.assert_allclose(recording.effort, TORQUES, atol=1e-6)
    assert recording.sampling_rate == pytest.approx(100)


@pytest.mark.parametrize(
    ("header", "effort", "third", "sentence"),
    [
        (headed("t", "q{}", "qd{}", "tau{}"), "torque", ANGLES, "qd1 is not the velocity of q1"),
        (headed("t", "q{}", "x{}", "current{}"), "torque", SPEEDS, "current1 is a current"),
        (headed("t", "q{}", "x{}", "tau{}"), "current", SPEEDS, "tau1 is none"),
        (headed("t", "q{}", "x{}", "tau{}"), "duty", SPEEDS, "drives.effort is duty"),
        (headed("t", "q{}", "x{}", "tau{} [%]"), "torque", SPEEDS, "the unit '%' of tau1"),
        (
            headed("t", "q1", "q2", "q2", "x{}", "tau{}"),
            "torque",
            SPEEDS,
            "several columns are named 'q2'",
        ),
    ],
)
def test_what_names_leave_open_is_asked(
    tmp_path: Path, header: list[str], effort: str, third: np.ndarray, sentence: str
) -> None:
    path = written(tmp_path / "log.csv", header, TIME, ANGLES, third, TORQUES)
    with pytest.raises(RecordingError, match=sentence):
        load_recording(path, JOINTS, effort=effort)


def test_steps_of_an_encoder_at_rest_do_not_contradict_its_velocity(tmp_path: Path) -> None:
    angles, speeds = ANGLES.copy(), SPEEDS.copy()
    noise = np.random.default_rng(0).standard_normal((2, len(TIME)))
    angles[:, 1], speeds[:, 1] = 1e-6 * np.round(noise[0]), 1e-5 * noise[1]
    header = headed("t", "q{}", "qd{}", "tau{}")
    path = written(tmp_path / "log.csv", header, TIME, angles, speeds, TORQUES)
    recording = load_recording(path, JOINTS, effort="torque")
    assert recording.velocity is not None
    np.testing.assert_allclose(recording.velocity, speeds, atol=1e-9)


@pytest.mark.parametrize("unit", ["", "_deg"])
def test_angles_of_more_than_a_turn_need_a_unit(tmp_path: Path, unit: str) -> None:
    header = headed("t", "q{}" + unit, "tau{}")
    path = written(tmp_path / "log.csv", header, TIME, np.degrees(ANGLES), TORQUES)
    if unit:
        recording = load_recording(path, JOINTS, effort="torque")
        np.testing.assert_allclose(recording.position, ANGLES, atol=1e-6)
        return
    with pytest.raises(RecordingError, match=r"q1 is up to 57\.3 and has no unit"):
        load_recording(path, JOINTS, effort="torque")


def test_a_changing_order_of_joints_is_refused(tmp_path: Path) -> None:
    header = ["time", *(f"{s}{n}" for s in ("name", "position", "effort") for n in range(2))]
    rows = [f"{n / 100},{'a,b' if n % 2 else 'b,a'},1,2,3,4" for n in range(50)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([",".join(header), *rows]) + "\n")
    with pytest.raises(RecordingError, match="order of the joints changes from row to row"):
        load_recording(path, ("a", "b"))


def test_a_stamp_in_two_columns_is_one_time(tmp_path: Path) -> None:
    header = headed("stamp.sec", "stamp.nanosec", "q{}", "tau{}")
    whole = np.floor(TIME + 0.5)
    values = (1.7e9 + whole, (TIME + 0.5 - whole) * 1e9, ANGLES, TORQUES)
    path = tmp_path / "log.csv"
    np.savetxt(path, np.column_stack(values), "%.10g", ",", header=",".join(header), comments="")
    recording = load_recording(path, JOINTS)
    assert recording.sampling_rate == pytest.approx(100)
    np.testing.assert_allclose(recording.position, ANGLES, atol=1e-6)


def test_a_map_with_nanoseconds_is_written_and_read() -> None:
    columns = propose_columns(["sec", "nanosec", "q1", "q2", "tau1", "tau2"])
    assert columns is not None
    assert columns.time is not None
    assert columns.time.nanoseconds == "nanosec"
    assert "nanoseconds: nanosec" in proposal_text(columns)
    assert isinstance(columns, ColumnMap)


def test_a_number_of_thousands_of_digits_is_none_of_a_joint() -> None:
    header = ["t", *series("q{}"), *series("tau{}", range(1, 3)), f"tau{'1' * 5000}"]
    assert propose_columns(header, JOINTS) is None


NUMBERED = ["time", *(f"{signal}{i}" for signal in ("q", "dq", "ddq", "tau") for i in range(2))]


def test_numbered_columns_are_joints_in_their_order() -> None:
    found = propose_columns(NUMBERED)
    assert found is not None
    assert found.joints == ("joint_0", "joint_1")
    assert found.position.columns == ("q0", "q1")
    assert found.velocity is not None
    assert found.velocity.columns == ("dq0", "dq1")
    assert found.effort.columns == ("tau0", "tau1")


def test_a_name_around_the_signal_is_that_of_the_joint() -> None:
    found = propose_columns(
        ["stamp_ms", "arm_1_position", "arm_2_position", "effort: arm_2", "effort: arm_1"]
    )
    assert found is not None
    assert found.joints == ("arm_1", "arm_2")
    assert found.effort.columns == ("effort: arm_1", "effort: arm_2")
    assert found.velocity is None
    assert found.time is not None
    assert found.time.factor == 1e-3


@pytest.mark.parametrize(("unit", "factor"), [(1.0, 1.0), (1e-3, 1e-3), (1e-9, 1e-9), (0.7, 1.0)])
def test_velocities_show_the_unit_of_the_times(unit, factor, tmp_path) -> None:
    time = np.arange(0, 5, 0.01)
    position = np.column_stack([np.sin(time), np.sin(2 * time)])
    velocity = np.column_stack([np.cos(time), 2 * np.cos(2 * time)])
    values = np.column_stack([time / unit, position, velocity, position])
    path = tmp_path / "log.csv"
    header = "time,q1,q2,dq1,dq2,tau1,tau2"
    np.savetxt(path, values, fmt="%.12g", delimiter=",", header=header, comments="")
    proposal = describe(path).proposal
    assert proposal is not None
    assert proposal.time is not None
    assert proposal.time.factor == factor


def test_a_table_without_motion_keeps_the_unit(tmp_path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1,dq1,tau1\n" + "0,0,0,0\nx,0,,0\n2,0,0,0\n")
    proposal = describe(path).proposal
    assert proposal is not None
    assert proposal.time is not None
    assert proposal.time.factor == 1


def test_commanded_values_are_left_out() -> None:
    found = propose_columns(
        ["t", "target_q_0", "actual_q_0", "target_current_0", "actual_current_0"]
    )
    assert found is not None
    assert found.position.columns == ("actual_q_0",)
    assert found.effort.columns == ("actual_current_0",)


@pytest.mark.parametrize(
    ("robot", "named"),
    [
        (("turn", "lift"), ("turn", "lift")),
        (("turn",), ("joint_0", "joint_1")),  # another number of joints
        ((), ("joint_0", "joint_1")),
    ],
)
def test_numbered_columns_have_the_names_of_the_robots_joints(
    robot: tuple[str, ...], named: tuple[str, ...]
) -> None:
    found = propose_columns(["t", "q0", "q1", "tau0", "tau1"], robot)
    assert found is not None
    assert found.joints == named


@pytest.mark.parametrize(
    "header",
    [
        [],
        ["Joint_1", "Joint_2"],
        ["t", "q1", "q2", "tau1"],  # a joint without effort
        ["t", "q1", "tau1", "i1"],  # two efforts
        ["t", "q", "tau"],  # no joint
        ["q1", "tau1"],  # no time
        ["t", "q1", "q1", "tau1"],  # a name twice
    ],
)
def test_nothing_is_proposed_where_it_would_be_a_guess(header: list[str]) -> None:
    assert propose_columns(header) is None


def test_the_text_is_the_map() -> None:
    found = propose_columns(["time [ns]", "no: pos", "it's_pos", "no: eff", "it's_eff"])
    assert found is not None
    assert ColumnMap.model_validate(yaml.safe_load(proposal_text(found))) == found
