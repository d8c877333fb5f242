"""Column maps proposed from the header of a CSV file."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from dynid.recording.column_proposal import proposal_text, propose_columns
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe

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


def test_efforts_of_something_else_than_the_joints_are_left_out() -> None:
    found = propose_columns(["t", "q_0", "q_1", "tau_0", "tau_1", "tau_ext_0", "tau_ext_1"])
    assert found is not None
    assert found.effort.columns == ("tau_0", "tau_1")


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
