"""The arm of the tutorial for makers, whose recordings have no fault."""

from __future__ import annotations

import pytest

import dynid
from dynid.playback.plan import make_plan
from dynid_plugins.servo.servo_torque import with_servo_torque
from dynid_plugins.servo.simulated_servo import record_servos


@pytest.mark.thorough
def test_friction_at_a_low_rate_is_not_taken_for_a_delay() -> None:
    robot = dynid.load_robot("so101")
    recordings = [
        with_servo_torque(
            record_servos(robot, make_plan(robot, seed=seed).excitation, seed=seed), robot
        )
        for seed in (1, 2)
    ]
    findings = dynid.identify(robot, recordings).findings
    assert [finding.sentence for finding in findings if finding.severity != "note"] == []
