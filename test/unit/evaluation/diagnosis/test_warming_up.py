"""Friction that falls as a robot warms up is found, with its rate and its time constant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import fitted_case
from support.representatives import representatives
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.torque_parts import torque_parts
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.warming_up import Fall, friction_fall, warm_up_time, warming_up

RATE = 50.0
DURATION = 300.0


def found(
    factor,
    noise: float = 0.05,
    seed: int = 0,
    rate: float = RATE,
    duration: float = DURATION,
    **changes,
) -> dict[str | None, Finding]:
    """Return the findings where friction is multiplied by ``factor`` of time [s]."""
    robot = arm_robot()
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    recording = recorded(
        mechanism, parameters, samples=round(duration * rate), rate=rate, noise=noise, seed=seed
    )
    ahead = np.gradient(recording.velocity, 1 / rate, axis=0)
    parts = torque_parts(
        mechanism.with_parameters(parameters), recording.position, recording.velocity, ahead
    )
    friction = parts.terms["viscous"] + parts.terms["coulomb"]
    more = friction * (factor(recording.time) - 1)[:, None]
    recording = replace(recording, effort=recording.effort + more, **changes)
    return {one.joint: one for one in warming_up(fitted_case(robot, recording))}


def decaying(excess: float, constant: float):
    return lambda time: 1 + excess * np.exp(-time / constant)


def test_the_rate_and_the_time_constant_of_a_decay_are_found():
    found_by_joint = found(decaying(0.5, 100.0))
    assert set(found_by_joint) == {"shoulder", "elbow", "wrist"}
    for one in found_by_joint.values():
        assert one.severity == "warning"
        assert one.evidence["time constant [s]"] == pytest.approx(100.0, rel=0.25)
        # the straight line through a decay, over the mean friction
        time = np.linspace(0, DURATION, 1001)
        factor = decaying(0.5, 100.0)(time)
        slope = -np.polyfit(time, factor, 1)[0] * 60 / factor.mean()
        assert one.evidence["fall per minute"] == pytest.approx(slope, rel=0.1)


def test_after_the_warm_up_that_is_advised_the_fall_is_small():
    (warm_up,) = {
        round(one.evidence["warm-up [s]"]) for one in [found(decaying(0.5, 100.0))["elbow"]]
    }
    later = found(lambda time: decaying(0.5, 100.0)(time + warm_up))
    assert later == {}


def test_a_steady_fall_has_no_time_constant_and_a_lower_bound_of_the_warm_up():
    one = found(lambda time: 1 - 0.2 * time / DURATION)["elbow"]
    assert np.isnan(one.evidence["time constant [s]"])
    assert one.evidence["fall per minute"] == pytest.approx(0.2 / 5 / 0.9, rel=0.1)
    assert one.evidence["warm-up [s]"] >= DURATION
    assert "at least" in one.remedy


def test_a_fall_and_its_deviation_are_those_of_fits_with_blocks_left_out():
    """The fits over all samples of the other blocks, without their triangular factors."""
    random, count = np.random.default_rng(4), 1003
    time = np.linspace(0.0, 60.0, count)
    own = np.column_stack([np.ones(count), random.standard_normal((count, 2))])
    own = np.column_stack([own, own[:, 1]])  # of lower rank
    friction = random.standard_normal(count)
    error = random.standard_normal(count) - 0.3 * friction * time / 60.0
    columns = np.column_stack([own, friction, friction * (time / 60.0 - 0.5)])
    block = np.minimum((time / 60.0 * 20).astype(int), 19)
    fits = [
        np.linalg.lstsq(columns[kept], error[kept], rcond=1e-9)[0][-1]
        for kept in [block >= 0, *(block != number for number in range(20))]
    ]
    fall = friction_fall(time, error, friction, own)
    assert fall.change == pytest.approx(fits[0], rel=1e-9)
    expected = np.sqrt(19 / 20 * np.sum((fits[1:] - np.mean(fits[1:])) ** 2))
    assert fall.deviation == pytest.approx(expected, rel=1e-9)


def test_a_small_fall_is_a_note():
    (note,) = {one.severity for one in found(lambda time: 1 - 0.07 * time / DURATION).values()}
    assert note == "note"


@pytest.mark.parametrize("seed", representatives([*range(6)], 1))
@pytest.mark.parametrize("noise", [0.0, 0.05, 3.0])
def test_constant_friction_gives_no_finding(noise, seed):
    assert found(np.ones_like, noise=noise, seed=seed) == {}


def test_friction_that_rises_is_no_warm_up():
    assert found(lambda time: 1 + 0.3 * time / DURATION) == {}


def test_a_few_strokes_do_not_show_a_fall():
    def falling(time):
        return 1 - 0.5 * time / time[-1]

    assert found(falling, rate=200.0, duration=20.0)  # ten cycles
    assert not found(falling, rate=200.0, duration=3.0)  # two


def test_a_short_warm_up_is_never_negative():
    assert warm_up_time(Fall(-0.06, 0.001, 10.0, 0.06), 300.0) >= 0
    assert warm_up_time(Fall(-0.06, 0.001, 10.0, 0.01), 300.0) == 0


def test_a_fall_of_more_than_all_friction_is_none() -> None:
    """Friction that would drive the joint at the end is a sign, or a part that differs."""
    assert found(lambda time: np.where(time < 0.5 * DURATION, 1.0, -1.0)) == {}
