"""The search on several recordings: which of them differs, and what they cannot decide."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import (
    ELBOW,
    JOINTS,
    LIFT,
    NOISE,
    RATE,
    crane,
    crane_parameters,
    crane_recording,
    searched,
    trial_of,
)
from support.synthetic import recorded

from dynid.arrays import Array
from dynid.evaluation.hypotheses.search import ChosenCause, search
from dynid.evaluation.hypotheses.wording import Wording
from dynid.identification.diagnose import diagnose_recordings
from dynid.recording.corrections import SIGNALS
from dynid.recording.model import Recording

FIRST, SECOND, THIRD = (crane_recording(seed) for seed in range(3))
MASS, REACH = 1.5, 0.3  # [kg], [m]


def only_step(second: Recording) -> ChosenCause:
    """Return the step of a search, of which the second of three recordings is the cause."""
    _, (step,) = searched(FIRST, second, THIRD)
    assert step.chosen.cause == "recordings_differ"
    assert step.chosen.recordings == (1,)
    return step


def loaded(*, friction: float = 1.0) -> Recording:
    """Return a recording of the crane with a mass along its jib, and a factor of its friction."""
    robot = crane()
    parameters = crane_parameters(robot)
    parameters[20:22] += [MASS, MASS * REACH]
    parameters[[26, 29]] += MASS * REACH**2
    mechanism = robot.mechanism()
    rubbing = [name.startswith("F") for name in mechanism.parameter_names]
    parameters[rubbing] *= friction
    return recorded(mechanism, parameters, samples=2000, rate=RATE, noise=NOISE, seed=1)


def test_like_recordings_have_no_cause() -> None:
    _, steps = searched(FIRST, SECOND, THIRD)
    assert steps == ()


@pytest.mark.parametrize(
    ("joints", "numbers"), representatives([(ELBOW, (2,)), (np.ones(3), (0, 1, 2))], 1)
)
def test_another_torque_factor_of_one_recording(joints: Array, numbers: tuple[int, ...]) -> None:
    step = only_step(replace(SECOND, effort=SECOND.effort * np.where(joints, 1.5, 1.0)))
    assert (step.chosen.kind, step.chosen.joints) == ("factor", numbers)
    factor = step.chosen.outcome.state.factor
    np.testing.assert_array_equal(factor[[0, 2]], 1.0)
    for joint in range(3):
        expected = 1 / 1.5 if joint in numbers else 1.0
        assert factor[1, joint] == pytest.approx(expected, rel=5e-3)


def test_another_sign_of_one_recording() -> None:
    step = only_step(replace(SECOND, effort=SECOND.effort * [1, -1, 1]))
    assert (step.chosen.kind, step.chosen.joints, step.others) == ("factor", (1,), ())
    assert step.chosen.outcome.state.factor[1] == pytest.approx([1, -1, 1], rel=5e-3)


def test_another_unit_of_one_recording() -> None:
    step = only_step(replace(SECOND, effort=1000 * SECOND.effort))
    assert (step.chosen.kind, step.chosen.joints, step.others) == ("factor", (0, 1, 2), ())
    assert step.chosen.outcome.state.factor[1] == pytest.approx([1e-3] * 3, rel=5e-3)


@pytest.mark.parametrize("signals", [("effort",), ("position", "velocity"), SIGNALS])
def test_channels_that_are_exchanged_in_one_recording_are_not_another_robot(
    signals: tuple[str, ...],
) -> None:
    exchanged = {name: getattr(SECOND, name)[:, [0, 2, 1]] for name in signals}
    _, (step,) = searched(FIRST, replace(SECOND, **exchanged, position_step=None), THIRD)
    kind = {1: "torques", 2: "positions", 3: "channels"}[len(signals)]
    assert (step.chosen.kind, step.chosen.joints, step.chosen.recordings) == (kind, (1, 2), (1,))
    assert step.others == ()


@pytest.mark.parametrize("ratio", [0.93, 1.03, 1.08])
def test_the_clock_of_one_recording_is_found_with_its_ratio(ratio: float) -> None:
    other = replace(SECOND, time=ratio * SECOND.time, velocity=None, sampling_rate=RATE / ratio)
    _, (step,) = searched(FIRST, other, THIRD)
    assert (step.chosen.cause, step.chosen.recordings, step.others) == ("clock", (1,), ())
    assert step.chosen.outcome.state.clock[1] == pytest.approx(ratio, rel=2e-3)


def test_other_friction_of_all_joints_is_not_another_robot() -> None:
    robot, mechanism = crane(), crane().mechanism()
    parameters = crane_parameters(robot)
    rubbing = [name.startswith("F") for name in mechanism.parameter_names]
    parameters[rubbing] *= 3.0
    other = recorded(mechanism, parameters, samples=2000, rate=RATE, noise=NOISE, seed=1)
    trial = trial_of(FIRST, other, THIRD)
    _, (step,) = search(trial)
    assert (step.chosen.kind, step.chosen.joints, step.others) == ("friction", (0, 1, 2), ())
    meaning = Wording(trial, JOINTS, ["a", "b", "c"], correctable=True).meaning(step, step.chosen)
    assert meaning.joints == JOINTS
    assert "have friction or offsets of their own" in meaning.sentence


def test_a_load_that_changes_friction_too_is_a_load_and_not_another_robot() -> None:
    _, (step, *_) = searched(FIRST, loaded(friction=1.2), THIRD)
    assert (step.chosen.kind, step.chosen.recordings, step.others) == ("payload", (1,), ())


def test_another_zero_of_one_recording() -> None:
    step = only_step(replace(SECOND, position=SECOND.position + 0.3 * LIFT))
    assert (step.chosen.kind, step.chosen.joints) == ("zero", (1,))
    expected = np.array([[0, 0, 0], [0, -0.3, 0], [0, 0, 0]])
    np.testing.assert_allclose(step.chosen.outcome.state.zero, expected, atol=2e-3)
    assert step.others == ()


def test_another_delay_of_one_recording() -> None:
    step = only_step(replace(SECOND, effort=np.roll(SECOND.effort, 5, axis=0)))
    assert (step.chosen.kind, step.chosen.joints) == ("delay", (0, 1, 2))
    np.testing.assert_allclose(step.chosen.outcome.state.delay[1], 0.05, atol=2e-4)
    np.testing.assert_array_equal(step.chosen.outcome.state.delay[[0, 2]], 0.0)


def test_a_load_of_one_recording_is_weighed() -> None:
    trial = trial_of(FIRST, loaded(), THIRD)
    _, (step,) = search(trial)
    assert (step.chosen.cause, step.chosen.kind) == ("recordings_differ", "payload")
    labels = ["recording 1", "recording 2 (b.csv)", "recording 3"]
    meaning = Wording(trial, JOINTS, labels, correctable=True).meaning(step, step.chosen)
    evidence = dict(meaning.evidence)
    off = abs(evidence["mass [kg]"] - MASS)
    assert off < 4 * evidence["standard deviation [kg]"]
    assert meaning.sentence.startswith(
        "recording 2 (b.csv): the robot carries another load than in the rest, 1.50 ± 0.00"
    )


def test_a_turn_of_the_last_body_may_be_another_load() -> None:
    """Neither can be told from the other, as the last body may have any inertia."""
    trial = trial_of(FIRST, replace(SECOND, position=SECOND.position + 0.3 * ELBOW), THIRD)
    _, (step, *_) = search(trial)
    candidates = [step.chosen, *step.others]
    assert [(one.kind, one.joints) for one in candidates] == [("zero", (2,)), ("payload", ())]
    assert all(one.recordings == (1,) for one in candidates)
    assert step.runner is step.others[0]


def test_of_two_recordings_either_may_be_the_one_that_differs() -> None:
    """One of them is named, and the other one is no alternative of another kind."""
    other = replace(SECOND, effort=SECOND.effort * [1, 1, 1.5])
    _, (step,) = searched(FIRST, other)
    assert (step.chosen.cause, step.chosen.joints) == ("recordings_differ", (2,))
    assert step.others == ()


@pytest.mark.parametrize("count", [1, 3])
def test_an_offset_that_grows_in_every_recording_has_its_size(count: int) -> None:
    grown = 6.0 * np.linspace(0, 1, 2000)[:, None] * ELBOW
    recordings = [replace(one, effort=one.effort + grown) for one in (FIRST, SECOND, THIRD)]
    (step,) = searched(*recordings[:count])[1]
    assert (step.chosen.cause, step.chosen.kind) == ("recordings_differ", "drift")
    assert (step.chosen.joints, step.others) == ((2,), ())
    # the ends of a recording are left out
    assert step.chosen.outcome.refit.factors == pytest.approx([6.0] * count, rel=0.05)


def test_a_sign_that_changes_half_way_is_no_drift() -> None:
    """A drift explains less than the part from which on the sign is another one."""
    turned = np.where(np.arange(2000)[:, None] < 1100, 1.0, 1 - 2 * LIFT)
    wrong = replace(FIRST, effort=FIRST.effort * turned)
    first = diagnose_recordings(crane(), [wrong]).findings[0]
    assert (first.cause, first.joints) == ("recordings_differ", ("lift",))
    (time,) = re.findall(r" from ([0-9.]+) s: ", first.sentence)
    assert float(time) == pytest.approx(11.0, abs=0.5)
    assert first.evidence["ratio"] == pytest.approx(-1.0, abs=0.02)
