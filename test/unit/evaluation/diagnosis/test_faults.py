"""A small part of benchmarks/diagnosis_matrix.py: faults of each cause in a simulated SCARA."""

from __future__ import annotations

import pytest
from diagnosis_matrix import Outcome, companions, figures, outcome
from faulty_recordings import FAULTS, does_it_apply
from support.representatives import representatives

from dynid.evaluation.diagnosis.causes import CAUSES

ONE_EACH = {
    "wrapped_position": "one joint",
    "beyond_limits": "zero of the first joint",
    "unsigned_effort": "magnitudes",
    "time": "stretched by a fifth",
    "copied_channel": "effort",
    "velocity": "other sign",
    "backlash": "of one joint",
    "position_jump": "slip of one encoder",
    "sampling_jitter": "every tenth sample",
    "lost_samples": "at ten places",
    "effort": "dead band",
    "held_position": "every third",
    "too_slow": "a seventh",
    "saturation": "one effort clipped",
    "spikes": "all joints",
    "too_short": "slowest joint",
    "one_direction": "longest stroke",
    "small_region": "all joints",
    "overlapping_frequencies": "same series",
    "torque_factor": "all times 2.5",
    "flipped_sign": "torque",
    "reversed_joint": "heavy joint",
    "swapped_channels": "two efforts",
    "encoder_zero": "zero of the second joint",
    "position_factor": "second joint",
    "recordings_differ": "torque factor",
    "clock": "of one recording",
    "contact": "push",
    "unexplained": "random torque",
    "wrong_gravity": "mounted 45 deg tilted",
    "noise": "one joint",
    "time_shift": "5 ms late",
    "quantised_feedback": "effort",
    "unmodelled_coupling": "transmission",
    "torque_crosstalk": "half of another",
    "nonlinear_torque": "of one sensor",
    "torque_hysteresis": "of one sensor",
    "uneven_friction": "once per turn",
    "friction_terms": "Stribeck",
    "warming_up": "friction falls by a third",
    "ill_conditioned": "terms alike",
    "over_fit": "few samples",
}


def test_every_cause_has_faults_that_produce_it() -> None:
    assert set(FAULTS) == {*CAUSES, "none"}
    assert set(ONE_EACH) == set(CAUSES)


@pytest.mark.parametrize("fault", representatives(list(ONE_EACH), 6))
def test_fault_is_found_with_its_declared_companions_only(fault: str) -> None:
    variant = ONE_EACH[fault]
    robot = "scara" if does_it_apply("scara", variant) else "ur10"
    found = set(outcome(robot, fault, variant, seed=1).found)
    assert fault in found
    assert found - {fault} <= companions(fault, variant)


def test_a_slide_before_its_screw_is_no_slide() -> None:
    found = outcome("scara", "position_factor", "before a screw", seed=1).found
    assert set(found) == {"position_factor", "beyond_limits"}


@pytest.mark.parametrize("variant", representatives(list(FAULTS["none"]), 2))
def test_no_cause_is_found_without_a_fault(variant: str) -> None:
    one = outcome("scara", "none", variant, seed=1)
    assert one.failure is None
    assert one.found == ()


def test_precision_and_recall_agree_with_their_definitions() -> None:
    found = [("noise", "noise"), ("noise", ""), ("none", "noise"), ("over_fit", "noise over_fit")]
    outcomes = [Outcome("robot", f, "variant", 1, tuple(t.split())) for f, t in found]
    noise = figures(outcomes)["noise"]
    # noise is a declared companion of over_fit, and counts neither way there
    assert (noise["true"], noise["missed"], noise["false"]) == (1, 1, 1)
    assert noise["precision"] == noise["recall"] == 0.5


def test_friction_that_the_terms_of_another_joint_lack_is_no_coupling() -> None:
    """It changes the masses of the fit, and so the errors of joints that the masses act on."""
    assert outcome("scara", "friction_terms", "asymmetric", seed=301).found == ("friction_terms",)
