"""Channels that stop while the robot goes on; what drives do is none of that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import swinging

from dynid.recording.model import Recording
from dynid.recording.redundancy import stuck_channels

RATE = 200.0
FIRST, PAST = 1500, 1700


def moved(*, noise: float = 0.1, step: float = 0.0) -> Recording:
    q, dq, ddq = swinging(4000, 2, RATE, 0)
    random = np.random.default_rng(0)
    effort = 5 * ddq + 2 * np.sign(dq) + noise * random.standard_normal(dq.shape)
    return Recording(
        time=np.arange(4000) / RATE,
        position=q,
        velocity=dq,
        effort=np.round(effort / step) * step if step else effort,
        joint_names=("a", "b"),
        sampling_rate=RATE,
    )


def stopped(recording: Recording, name: str, joint: int) -> Recording:
    values = getattr(recording, name).copy()
    values[FIRST:PAST, joint] = values[FIRST, joint]
    return replace(recording, **{name: values})


@pytest.mark.parametrize(("name", "kind"), [("effort", "effort"), ("position", "held_position")])
@pytest.mark.parametrize("joint", [0, 1])
def test_a_channel_that_stops_is_found_with_its_time(name: str, kind: str, joint: int) -> None:
    (found,) = stuck_channels(stopped(moved(), name, joint))
    assert (found.kind, found.joints) == (kind, (("a", "b")[joint],))
    assert found.evidence["stuck [s]"] == pytest.approx((PAST - FIRST) / RATE, abs=0.02)


@pytest.mark.parametrize("step", [0.0, 0.1, 2.0])
def test_a_good_recording_has_none(step: float) -> None:
    assert list(stuck_channels(moved(step=step))) == []


def test_a_torque_at_its_limit_and_a_joint_at_rest_are_not_stuck() -> None:
    recording = moved()
    limit = 0.5 * np.abs(recording.effort).max()
    limited = replace(recording, effort=np.clip(recording.effort, -limit, limit))
    assert list(stuck_channels(limited)) == []
    still = stopped(stopped(stopped(recording, "position", 0), "effort", 0), "velocity", 0)
    velocity = still.velocity.copy()
    velocity[FIRST:PAST, 0] = 0.0
    assert list(stuck_channels(replace(still, velocity=velocity))) == []


@pytest.mark.parametrize("joint", [0, 1])
@pytest.mark.parametrize("length", [30, 80])
def test_without_a_velocity_a_position_that_stops_shows_by_its_jump(
    joint: int, length: int
) -> None:
    recording = replace(moved(), velocity=None)
    position, speed = recording.position.copy(), np.abs(np.gradient(recording.position[:, joint]))
    first = 1000 + int(np.argmax(np.convolve(speed[1000:3000], np.ones(length), "valid")))
    position[first : first + length, joint] = position[first, joint]
    (found,) = stuck_channels(replace(recording, position=position))
    assert (found.kind, found.joints) == ("held_position", (("a", "b")[joint],))
    assert found.evidence["stuck [s]"] == pytest.approx(length / RATE, abs=0.02)


def test_without_a_velocity_a_joint_that_rests_is_not_stuck() -> None:
    recording = replace(moved(), velocity=None)
    position = recording.position.copy()
    reversal = 1000 + int(np.argmax(position[1000:3000, 0]))
    position[reversal:, 0] += position[reversal, 0] - position[reversal + 200, 0]
    rested = np.insert(position[:-200, 0], reversal, np.full(200, position[reversal, 0]))
    position[:, 0] = rested
    assert list(stuck_channels(replace(recording, position=position))) == []
