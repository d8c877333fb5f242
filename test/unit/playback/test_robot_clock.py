"""The robot's clock is estimated from the stamps of its messages, which never arrive early."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import FakeClock

from dynid.playback.commander import RobotClock
from dynid.playback.robot_state import JointStateSample

MILLISECOND = 10**6


class Heard:
    """A robot whose clock is ahead, and whose messages are delayed."""

    def __init__(self, *, simulated: bool = False) -> None:
        self.clock = FakeClock()
        self.clock.simulated = simulated
        self.robot = RobotClock(self.clock)

    def hear(self, ahead_ms: float, delay_ms: float, *, after: float = 0.01) -> None:
        self.clock.time += after
        stamp_ns = self.clock.now_ns() + round((ahead_ms - delay_ms) * MILLISECOND)
        self.robot.update(JointStateSample(stamp_ns, self.clock.steady(), np.zeros(1), None))


def test_the_time_is_this_computers_until_the_first_state() -> None:
    heard = Heard()
    assert heard.robot.offset_ns == 0
    assert heard.robot.now_ns() == heard.clock.now_ns()
    assert heard.robot.allowance(0.03) == pytest.approx(0.03)


def test_the_fastest_message_gives_the_offset() -> None:
    heard = Heard()
    for delay_ms in (5, 1, 3, 40):
        heard.hear(700.0, delay_ms)
    assert heard.robot.offset_ns == 699 * MILLISECOND
    assert heard.robot.now_ns() - heard.clock.now_ns() == 699 * MILLISECOND


@pytest.mark.parametrize("delays_ms", [(2, 90), (90, 2)])
def test_the_previous_window_is_also_used(delays_ms) -> None:
    heard = Heard()
    before, now = delays_ms
    heard.hear(700.0, before)
    heard.hear(700.0, now, after=60.0)  # longer than any window, so this starts another
    assert heard.robot.offset_ns == 698 * MILLISECOND
    assert heard.robot.allowance(0.03) == pytest.approx(0.088)


def test_a_simulations_newest_stamp_is_its_offset_and_its_time_is_the_robots() -> None:
    heard = Heard(simulated=True)
    for delay_ms in (1, 30):
        heard.hear(0.0, delay_ms)
    assert heard.robot.offset_ns == -30 * MILLISECOND
    assert heard.robot.now_ns() == heard.clock.now_ns()


def test_messages_with_uneven_delays_get_a_limited_allowance() -> None:
    heard = Heard()
    heard.hear(0.0, 0.0)
    heard.hear(0.0, 10.0)
    assert heard.robot.allowance(0.03) == pytest.approx(0.03)
    heard.hear(0.0, 70.0)
    assert heard.robot.allowance(0.03) == pytest.approx(0.07)
    heard.hear(0.0, 60_000.0)
    assert 0.07 < heard.robot.allowance(0.03) < 5.0


@pytest.mark.parametrize(("speed", "factor"), [(3.0, 3.0), (1.0, 1.0), (0.25, 1.0)])
def test_durations_are_longer_where_simulated_time_runs_faster_never_shorter(speed, factor) -> None:
    heard = Heard(simulated=True)
    heard.clock.time, heard.clock.speed = 30.0, speed
    heard.robot.measure_pace()
    assert heard.robot.in_robot_time(2.0) == pytest.approx(2 * factor)
