"""Each missing input of a motion is a fault after max_age."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import FakeClock

from dynid.playback.robot_state import InputWatch, JointStateSample

JOINTS = ("shoulder", "elbow")
FULL = (1.0, 2.0)


class Inputs:
    """An InputWatch, and steps of 0.1 s with or without messages."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.watch = InputWatch(self.clock)

    def step(self, *, stamped: bool = True, effort: tuple[float, ...] | None = FULL) -> None:
        self.clock.time += 0.1
        values = None if effort is None else np.array(effort)
        stamp_ns = self.clock.now_ns() if stamped else 1
        self.watch.tick()
        self.watch.update(
            JointStateSample(stamp_ns, self.clock.steady(), np.zeros(2), values), JOINTS
        )

    def run(self, duration: float) -> None:
        """Let the process run, in steps of at most 0.05 s, without messages."""
        for _ in range(10):
            self.clock.time += duration / 10
            self.watch.tick()

    def fault(self, *, effort: bool = True) -> str:
        return self.watch.fault(0.5, effort=effort) or ""


@pytest.fixture
def inputs() -> Inputs:
    made = Inputs()
    made.step()
    return made


def test_there_is_no_state_before_the_first_message() -> None:
    watch = InputWatch(FakeClock())
    assert watch.state_age == np.inf
    assert "no joint states arrived" in str(watch.fault(0.5, effort=False))


def test_effort_is_missing_from_the_start() -> None:
    inputs = Inputs()
    inputs.step(effort=None)
    assert inputs.fault().startswith("the joint states have no effort, so torque cannot")
    assert inputs.fault(effort=False) == ""


def test_no_input_is_missing_while_all_arrive(inputs) -> None:
    for _ in range(20):
        inputs.step()
        assert inputs.fault() == ""
        assert inputs.watch.state_age == 0.0


def test_missing_joint_states_are_a_fault_after_max_age(inputs) -> None:
    inputs.run(0.499)
    assert inputs.fault() == ""
    inputs.run(0.101)
    assert inputs.fault() == (
        "no joint states arrived for 0.6 s, at most 0.5 s are allowed (parameter max_age)."
    )
    assert inputs.watch.state_age == pytest.approx(0.6)


def test_a_pause_of_this_process_is_no_missing_input(inputs) -> None:
    inputs.clock.time += 60.0
    inputs.watch.tick()
    assert inputs.fault() == ""
    assert inputs.watch.state_age == pytest.approx(60.0)
    inputs.step()
    assert inputs.watch.state_age == 0.0


def test_states_that_are_missing_between_many_pauses_are_a_fault(inputs) -> None:
    """A process that runs rarely still finds that nothing arrives."""
    for _ in range(6):
        assert inputs.fault() == ""
        inputs.clock.time += 10.0
        inputs.watch.tick()
    assert inputs.fault().startswith("no joint states arrived for 0.6 s")


def test_frozen_stamps_are_a_fault_while_messages_arrive(inputs) -> None:
    for _ in range(5):
        inputs.step(stamped=False)
    assert inputs.fault() == ""
    inputs.step(stamped=False)
    assert "it has not changed for 0.6 s" in inputs.fault()


def test_stamps_that_are_set_back_are_a_fault_only_while_they_stand_still(inputs) -> None:
    ahead = inputs.clock.now_ns() + 3600 * 10**9
    inputs.watch.update(
        JointStateSample(ahead, inputs.clock.steady(), np.zeros(2), np.ones(2)), JOINTS
    )
    for _ in range(20):
        inputs.step()
        assert inputs.fault() == ""
    for _ in range(6):
        inputs.step(stamped=False)
    assert "it has not changed for 0.6 s" in inputs.fault()


def test_missing_effort_of_one_joint_is_named(inputs) -> None:
    for _ in range(6):
        inputs.step(effort=(1.0, float("nan")))
    assert inputs.fault().startswith("joint 'elbow': the joint states have no effort for it, so")
    inputs.step()
    assert inputs.fault() == ""


def test_a_frozen_clock_is_a_fault(inputs) -> None:
    clock, now = inputs.clock, inputs.clock.now_ns()
    clock.now_ns = lambda: now
    for k in range(1, 7):
        clock.time += 0.1
        inputs.watch.tick()
        stamp_ns = now + k
        inputs.watch.update(
            JointStateSample(stamp_ns, clock.steady(), np.zeros(2), np.ones(2)), JOINTS
        )
    assert inputs.fault() == (
        "the clock of this node has not advanced for 0.6 s, at most 0.5 s are allowed (parameter "
        "max_age)."
    )
