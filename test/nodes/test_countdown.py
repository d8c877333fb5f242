"""A countdown runs while it is checked, not while the process is suspended."""

from __future__ import annotations

import pytest

from dynid_ros import remote
from dynid_ros.remote import Countdown


@pytest.fixture
def machine(monkeypatch):
    """A machine whose time advances on request."""
    now = [1000.0]

    class Machine:
        @staticmethod
        def monotonic() -> float:
            return now[0]

        @staticmethod
        def stall(duration: float) -> None:
            now[0] += duration

    monkeypatch.setattr(remote, "time", Machine)
    return Machine


def looks_until_over(machine, left: Countdown, pause: float) -> int:
    """Return the number of checks until the end, with a pause before each."""
    for number in range(10_000):
        machine.stall(pause)
        if left.over():
            return number
    raise AssertionError("never over")


@pytest.mark.parametrize(("pause", "looks"), [(0.01, 100), (0.05, 20), (0.1, 10), (30.0, 10)])
def test_it_is_over_after_its_time_and_a_pause_counts_a_tenth_of_a_second_at_most(
    machine, pause, looks
) -> None:
    # rounding may cause one check more or less
    assert looks_until_over(machine, Countdown(1.0), pause) == pytest.approx(looks, abs=1)


def test_it_stays_over(machine) -> None:
    left = Countdown(0.2)
    looks_until_over(machine, left, 0.1)
    machine.stall(0.01)
    assert left.over()
