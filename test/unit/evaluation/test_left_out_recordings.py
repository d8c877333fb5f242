"""Recordings that the others do not explain, and what the text says was held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.left_out_recordings import disagreements, held_out_notes
from dynid.identification.identify import identify
from dynid.identification.result import Identification

JOINTS = ("shoulder", "elbow", "wrist")


def identified(*factors: float) -> Identification:
    """Identify from recordings whose elbow has these torque constants, relative to the true one."""
    robot = arm_robot()
    mechanism = robot.mechanism()
    recordings = []
    for seed, factor in enumerate(factors):
        made = recorded(mechanism, true_parameters(mechanism), samples=2000, noise=0.5, seed=seed)
        recordings.append(replace(made, effort=made.effort * [1.0, factor, 1.0]))
    return identify(robot, recordings)


def test_a_recording_with_another_torque_constant_is_named_with_its_joint() -> None:
    result = identified(1.0, 1.5, 1.0)
    (warning,) = [w for w in result.verdict.warnings if "not explained by" in w]
    assert warning.startswith("recording 2 is not explained by the others at elbow: ")
    held_out = result.held_out
    assert held_out.relative_error[1] == pytest.approx(
        result.verdict.joints[1].held_out_error, rel=1e-6
    )
    assert held_out.relative_error[1] > held_out.of_blocks[1]


def test_recordings_of_one_robot_agree() -> None:
    result = identified(1.0, 1.0)
    assert not [w for w in result.verdict.warnings if "not explained by" in w]
    (note,) = [n for n in result.notes if n.startswith("Held-out")]
    assert note == "Held-out data are whole recordings: each of 2 was predicted from the others."


def test_blocks_of_one_recording_are_no_other_motion() -> None:
    (note,) = held_out_notes(HeldOut(5, (1.0,) * 3, (0.1,) * 3), JOINTS)
    assert note.startswith("Held-out data are 5 blocks of the same recording, so another motion")


def test_the_example_of_the_manual() -> None:
    held_out = HeldOut(
        folds=2,
        rmse_torque=(1.0, 1.0),
        relative_error=(0.1, 0.437),
        block_error=(0.1, 0.2),
        recording_error=((0.1, np.nan), (0.11, 0.44)),
        expected_error=((0.1, 0.13), (0.1, 0.13)),
        scatter=(0.01, 0.02),
    )
    assert list(disagreements(held_out, ("j2", "j3"))) == [
        "recording 2 is not explained by the other at j3: 44.0 % instead of 13.0 %: payload, "
        "torque constant or encoder zero may differ."
    ]
    assert (
        "at j3, such as the only one that moves a joint"
        in held_out_notes(held_out, ("j2", "j3"))[0]
    )
