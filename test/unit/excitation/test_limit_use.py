"""Where a motion uses most of a limit, and where it breaks it first, are two things."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.excitation.limit_use import first_broken, limit_use

TIME = np.arange(8.0)
VALUES = np.array([0.0, 1.2, 1.4, 1.1, 0.5, 3.0, 0.9, 0.0])
WHAT = ("velocity", "joint 'a'", "rad/s")


def use(limit: float, what: tuple[str, str, str] = WHAT):
    return limit_use(what, TIME, VALUES, limit, VALUES - limit)


def test_a_kept_limit_is_used_most_at_the_peak() -> None:
    kept = use(4.0)
    assert kept.passed is None
    assert kept.first is None
    assert (kept.most.time, kept.most.value, kept.most.beyond) == (5.0, 3.0, -1.0)


def test_the_message_has_the_start_and_the_worst_of_the_first_violation() -> None:
    broken = use(1.0)
    assert broken.passed == 1.0
    assert (broken.first.time, broken.first.value) == (2.0, 1.4)
    assert broken.first.beyond == pytest.approx(0.4)
    assert broken.most.value == 3.0
    assert broken.sentence() == (
        "joint 'a': velocity reaches 1.4 rad/s at 2.000 s, 0.4 rad/s beyond its limit of 1 rad/s, "
        "which it passes at 1.000 s; make the motion smaller or slower."
    )


def test_the_pose_of_a_violation_and_another_remedy_can_be_named() -> None:
    broken = use(1.0, ("distance", "forearm to base", "m"))
    sentence = broken.sentence(np.array([0.5, -1.25]), "dynid excite finds another motion")
    assert f"at {broken.shown_at:.3f} s with the joints at (0.5, -1.25), " in sentence
    assert sentence.endswith("it passes at 1.000 s; dynid excite finds another motion.")


def test_a_violation_that_lasts_to_the_end_is_reported() -> None:
    values = VALUES[:6]
    broken = limit_use(WHAT, TIME[:6], values, 2.0, values - 2.0)
    assert (broken.passed, broken.first.time) == (5.0, 5.0)


def test_of_several_limits_the_one_that_is_passed_first_counts() -> None:
    late, early, kept = use(2.0), use(1.0), use(9.0)
    assert first_broken([kept, late, early]) is early
    assert first_broken([kept]) is None


def test_what_rounding_adds_is_no_violation() -> None:
    beyond = VALUES - 3.0 + 1e-12
    assert limit_use(WHAT, TIME, VALUES, 3.0, beyond, tolerance=1e-9).passed is None
