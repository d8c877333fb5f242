"""Sines repeat when their joints have made whole cycles together."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.excitation.sine import repetition


def test_a_joint_at_twice_anothers_frequency_repeats_after_its_first_cycle() -> None:
    found = repetition([1.0, 2.0, 1.2], 20.0)
    assert found.first is not None
    assert (found.first.joints, found.first.cycles) == (("J1", "J2"), (1, 2))
    assert str(found.first) == "1 cycle of J1 and 2 of J2"
    assert found.whole is not None  # later than the first pair
    assert found.whole.cycles == (5, 10, 6)
    assert not found.good
    (sentence,) = found.findings
    assert sentence.startswith("J1 and J2 repeat after 1 cycle of J1 and 2 of J2;")


def test_odd_tenths_repeat_after_11_13_and_15_cycles_which_is_good() -> None:
    found = repetition([1.1, 1.3, 1.5], 20.0)
    assert found.whole is not None
    assert found.whole.cycles == (11, 13, 15)
    assert found.whole.time == pytest.approx(10.0)
    assert found.good
    assert found.cycles == pytest.approx((22.0, 26.0, 30.0))


@pytest.mark.parametrize(
    ("frequencies", "duration", "sentence"),
    [
        ([1.0, 1.2, 1.8], 20.0, "J2 and J3 repeat after 2 cycles of J2 and 3 of J3;"),
        ([0.5, 0.7, 0.5], 20.0, "J1 and J3 swing at the same frequency;"),
        ([0.29, 0.37], 10.0, "J1 makes 2.9 cycles in 10 s, fewer than 3;"),
        # differs by less than anyone could see
        ([1.0, 2.0005], 10.0, "J1 and J2 repeat after 1 cycle of J1 and 2 of J2;"),
    ],
)
def test_a_problem_of_the_frequencies_is_named(
    frequencies: list[float], duration: float, sentence: str
) -> None:
    (found,) = repetition(frequencies, duration).findings
    assert found.startswith(sentence)
    assert repetition([0.3, 0.37], 10.0).good


def test_frequencies_without_a_ratio_repeat_only_by_chance_and_late() -> None:
    found = repetition([1.0, float(np.sqrt(2)), float(np.pi)], 10.0)
    assert found.whole is None or min(found.whole.cycles) > 20


@pytest.mark.parametrize("seed", range(20))
def test_at_its_return_every_joint_is_where_it_began(seed: int) -> None:
    frequencies = np.random.default_rng(seed).integers(3, 40, 4) / 17
    found = repetition(frequencies.tolist(), 30.0)
    assert found.whole is not None
    made = frequencies * found.whole.time
    assert np.allclose(made, found.whole.cycles, atol=0.01)
    # and at no earlier whole cycle of the slowest
    slowest = frequencies.min()
    for cycles in range(1, round(found.whole.time * slowest)):
        others = frequencies * cycles / slowest
        assert np.abs(others - np.round(others)).max() > 0.01


def test_a_single_joint_repeats_with_no_other() -> None:
    found = repetition([0.5], 10.0)
    assert found.first is None
    assert found.good
