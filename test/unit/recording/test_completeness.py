"""Missing messages are counted by their stamps, and the place where they were lost is named."""

from __future__ import annotations

import random

import pytest

from dynid.recording.completeness import Completeness, SequenceCheck, StampCheck

PERIOD = 1_000_000  # [ns]


def checked(stamps: list[int], waits: list[int] | None = None) -> StampCheck:
    check = StampCheck()
    for stamp, wait in zip(stamps, waits or [0] * len(stamps), strict=True):
        check.add(stamp, stamp + wait)
    return check


@pytest.mark.parametrize("count", [100, 5000])
def test_nothing_is_missing_of_a_regular_stream(count) -> None:
    check = checked([k * PERIOD for k in range(1, count)])
    assert check.missing == 0
    assert check.longest_gap == pytest.approx(1e-3)


@pytest.mark.parametrize("count", [500, 5000])
def test_every_message_that_is_left_out_is_counted(count) -> None:
    rng = random.Random(4)
    left = sorted(rng.sample(range(2, count - 1), count // 4))
    stamps = [k * PERIOD for k in range(1, count) if k not in left]
    assert checked(stamps).missing == len(left)


def test_late_cycles_are_not_missing_messages() -> None:
    """Cycles up to 3 ms late, after which the next ones follow early: each was sent."""
    rng = random.Random(1)
    stamps, late = [], 0
    for k in range(1, 4000):
        late = max(late - PERIOD, rng.choice([0] * 20 + [3 * PERIOD]))
        stamps.append(k * PERIOD + late)
    assert checked(stamps).missing <= 1  # the last cycles may be late


def test_the_longest_gap_and_the_longest_wait_are_found() -> None:
    stamps = [k * PERIOD for k in range(1, 3000) if not 1000 <= k < 1069]
    waits = [50_000] * len(stamps)
    waits[700] = 300_050_000
    check = checked(stamps, waits)
    assert check.longest_gap == pytest.approx(0.070)
    assert check.gap_at == pytest.approx(0.998)
    assert check.longest_wait == pytest.approx(0.3)


def test_a_clock_that_is_set_back_is_ignored() -> None:
    stamps = [k * PERIOD for k in range(1, 1500)]
    assert checked([*stamps, PERIOD, stamps[-1] + PERIOD]).missing == 0


def test_the_sentence_names_the_publisher_and_the_way() -> None:
    part = Completeness("/joint_states", 900, 100, 30, longest_gap=0.07, gap_at=12.3)
    assert part.sentence() == (
        "100 of 1000 messages on /joint_states are missing: 70 not sent by the publisher (none "
        "for 0.070 s after 12.30 s), 30 lost between publisher and recorder"
    )
    assert Completeness("/joint_states", 900, 0, 0).sentence() == ""
    lost = Completeness("/other", 9, 1, 1).sentence()
    assert lost == "1 of 10 messages on /other are missing: 1 lost between publisher and recorder"


@pytest.mark.parametrize(
    ("numbers", "missing"), [([7, 8, 11, 12, 14], 3), ([500, 501], 0), ([7, 8, 1, 2, 4], 1)]
)
def test_missing_numbers_are_counted_for_each_publisher(numbers: list[int], missing: int) -> None:
    """None before the first number; a smaller one belongs to a new publisher."""
    check = SequenceCheck()
    for number in numbers:
        check.add(number)
    assert check.missing == missing


def test_any_number_may_follow_a_restart() -> None:
    check = SequenceCheck()
    check.add(8)
    check.restart()
    check.add(100)
    assert check.missing == 0
