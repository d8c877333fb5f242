"""The search on a crane with one fault: the right cause, and its number within its deviation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import (
    ELBOW,
    JOINTS,
    LIFT,
    PAN,
    crane,
    crane_recording,
    meanings,
    recorded_crane,
    searched,
    trial_of,
)

from dynid.arrays import Array
from dynid.evaluation.hypotheses.samples import sampled
from dynid.evaluation.hypotheses.search import ChosenCause, _with_urdfs_sign, search
from dynid.evaluation.hypotheses.trial import Trial, hypothesis_mechanism
from dynid.evaluation.hypotheses.tried import TriedCause
from dynid.evaluation.hypotheses.wording import Wording
from dynid.identification.identify import identify
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

SWAPPED = [0, 2, 1]
DEVIATIONS = 4.0  # that a number may be off


def only_step(*recordings: Recording, robot: Robot | None = None) -> ChosenCause:
    """Return the step of a search that takes one and is sure of it."""
    _, (step,) = searched(*recordings, robot=robot)
    assert step.others == ()
    return step


def cause(candidate: TriedCause) -> tuple[str, str, tuple[int, ...]]:
    return candidate.cause, candidate.kind, candidate.joints


def with_effort(effort: Array) -> Recording:
    return replace(crane_recording(), effort=effort)


def late(effort: Array, samples: int, joints: Array | float = 1.0) -> Array:
    """Return effort that is recorded some samples later at joints."""
    return np.where(joints, np.roll(effort, samples, axis=0), effort)


def pushed(effort: Array) -> Array:
    """Return effort of a crane whose boom is pushed from 7 to 8 s."""
    effort = effort.copy()
    effort[700:800, 1] += 20.0
    return effort


@pytest.mark.parametrize("seed", [0, 1])
def test_a_recording_without_a_fault_has_no_cause(seed: int) -> None:
    start, steps = searched(crane_recording(seed))
    assert steps == ()
    assert np.all(start.refit.held_out < 0.01)
    assert start.penalty is not None
    assert start.penalty < 0.1


def test_a_torque_factor_is_that_of_its_joint() -> None:
    step = only_step(with_effort(crane_recording().effort * [1, 1, 2.5]))
    assert cause(step.chosen) == ("torque_factor", "factor", (2,))
    factor = step.chosen.outcome.state.factor[0, 2]
    assert abs(factor * 2.5 - 1) < DEVIATIONS * step.chosen.deviation
    assert 0 < step.chosen.deviation < 0.01
    assert step.gain > 5


@pytest.mark.parametrize("joint", representatives([LIFT, ELBOW], 1))
def test_the_other_sign_of_one_torque_is_found_with_its_joint(joint: Array) -> None:
    chosen = only_step(with_effort(crane_recording().effort * (1 - 2 * joint))).chosen
    assert chosen.joints == (int(np.argmax(joint)),)
    factor = chosen.outcome.state.factor[0, np.argmax(joint)]
    assert abs(factor + 1) < DEVIATIONS * chosen.deviation


@pytest.mark.parametrize("signs", [[1, -1, -1], [-1, -1, 1], [-1, 1, -1]])
def test_the_other_sign_of_two_torques_is_one_cause(signs: list[int]) -> None:
    """The friction of each joint shows its sign, independent of the other joints."""
    step = only_step(with_effort(crane_recording().effort * signs))
    flipped = tuple(np.flatnonzero(np.array(signs) < 0).tolist())
    assert cause(step.chosen) == ("flipped_sign", "sign", flipped)
    np.testing.assert_array_equal(step.chosen.outcome.state.factor[0], signs)


@pytest.mark.parametrize("joint", [LIFT, ELBOW])
def test_the_other_sign_of_a_position_is_found_with_its_joint(joint: Array) -> None:
    good, sign = crane_recording(), 1 - 2 * joint
    motion = {name: getattr(good, name) * sign for name in ("position", "velocity")}
    chosen = only_step(replace(good, **motion, position_step=None)).chosen
    assert cause(chosen) == ("flipped_sign", "position", (int(np.argmax(joint)),))


@pytest.mark.parametrize(
    ("kind", "ratio"),
    [
        ("ratio", 0.7),
        ("ratio", 1.3),
        ("ratio", 2.0),
        ("ratio", 180 / np.pi),
        ("gear", 0.7),
        ("gear", 1.5),
    ],
)
def test_the_factor_of_a_position_is_found_with_its_joint(kind: str, ratio: float) -> None:
    good, times = crane_recording(), np.where(LIFT, ratio, 1.0)
    motion = {name: getattr(good, name) * times for name in ("position", "velocity")}
    effort = good.effort / times if kind == "gear" else good.effort
    stretched = replace(good, **motion, effort=effort, position_step=None)
    step = only_step(stretched)
    assert cause(step.chosen) == ("position_factor", kind, (1,))
    found = step.chosen.outcome.state.direction[1]
    assert found * ratio == pytest.approx(1.0, abs=max(DEVIATIONS * step.chosen.deviation, 0.01))
    (meaning,) = meanings(stretched)
    assert meaning.corrections[0].factor == pytest.approx(1 / ratio, rel=0.01)


def test_the_other_sign_of_all_torques_is_shown_by_what_is_possible() -> None:
    """The fit has the same errors; only friction that drives and negative masses contradict."""
    step = only_step(with_effort(-crane_recording().effort))
    assert cause(step.chosen) == ("flipped_sign", "sign", (0, 1, 2))
    np.testing.assert_array_equal(step.chosen.outcome.state.factor, -1.0)
    before, after = (one.refit.held_out for one in (step.before, step.chosen.outcome))
    np.testing.assert_allclose(before, after, rtol=1e-6)


@pytest.mark.parametrize("joint", representatives([PAN, LIFT, ELBOW], 1))
def test_a_joint_that_counts_the_other_way_is_found(joint: Array) -> None:
    good, sign = crane_recording(), 1 - 2 * joint
    motion = {name: getattr(good, name) * sign for name in ("position", "velocity", "effort")}
    chosen = only_step(replace(good, **motion, position_step=None)).chosen
    assert cause(chosen) == ("reversed_joint", "reverse", (int(np.argmax(joint)),))
    np.testing.assert_array_equal(chosen.outcome.state.direction, sign)


@pytest.mark.parametrize(
    ("kind", "signals"),
    representatives(
        [
            ("torques", ("effort",)),
            ("channels", ("position", "velocity", "effort")),
            ("positions", ("position", "velocity")),
        ],
        1,
    ),
)
def test_exchanged_channels_are_found_with_both_joints(kind: str, signals: tuple[str]) -> None:
    good = crane_recording()
    swapped = {name: getattr(good, name)[:, SWAPPED] for name in signals}
    chosen = only_step(replace(good, **swapped, position_step=None)).chosen
    assert cause(chosen) == ("swapped_channels", kind, (1, 2))


@pytest.mark.parametrize("zero", representatives([0.8, np.pi], 1))
def test_an_encoder_zero_is_found_from_afar(zero: float) -> None:
    good = crane_recording()
    moved = replace(good, position=good.position + zero * LIFT)
    chosen = only_step(moved).chosen
    assert cause(chosen) == ("encoder_zero", "zero", (1,))
    error = chosen.outcome.state.zero[0, 1] + zero
    turns = np.round(error / (2 * np.pi))  # half a turn either way is the same
    assert abs(error - 2 * np.pi * turns) < DEVIATIONS * chosen.deviation
    assert chosen.deviation < 0.01


@pytest.mark.parametrize("width", representatives([0.05, 0.15], 1))
def test_backlash_is_found_with_its_play(width: float) -> None:
    robot = crane(identification={"cutoff_hz": 8.0, "trim_rest": False})
    good = crane_recording()
    teeth = np.tanh(good.effort / (width * good.effort.std(axis=0)))
    ahead = replace(good, position=good.position + 0.1 / 2 * teeth * PAN)
    samples = sampled([preprocess(ahead, robot)], 8.0, 4, reach=0.2)
    _, (step,) = search(Trial(samples, hypothesis_mechanism(robot)))
    assert cause(step.chosen) == ("backlash", "backlash", (0,))
    assert step.others == ()
    assert step.chosen.outcome.state.backlash[0, 0] == pytest.approx(0.1, rel=0.25)


@pytest.mark.parametrize("joint", [PAN, ELBOW])
def test_a_zero_that_no_torque_depends_on_is_no_cause(joint: Array) -> None:
    """A turn about the vertical, and one of the last body, whose inertia is fitted anyway."""
    good = crane_recording()
    start, steps = searched(replace(good, position=good.position + 0.8 * joint))
    assert steps == ()
    assert np.all(start.refit.held_out < 0.01)


@pytest.mark.parametrize("samples", representatives([1, 8, -3], 1))
def test_a_delay_of_all_torques_is_found(samples: int) -> None:
    chosen = only_step(with_effort(late(crane_recording().effort, samples))).chosen
    assert cause(chosen) == ("time_shift", "delay", (0, 1, 2))
    expected = 0.01 * samples
    np.testing.assert_allclose(chosen.outcome.state.delay, expected, atol=2e-4)
    # torque between samples is interpolated, which costs a hundredth of a sample
    off = abs(chosen.outcome.state.delay[0, 0] - expected)
    assert off < DEVIATIONS * chosen.deviation + 1e-4


def test_a_delay_of_one_torque_is_that_of_its_joint() -> None:
    chosen = only_step(with_effort(late(crane_recording().effort, 16, LIFT))).chosen
    assert cause(chosen) == ("time_shift", "delay", (1,))
    np.testing.assert_allclose(chosen.outcome.state.delay[0], [0, 0.16, 0], atol=6e-4)


@pytest.mark.parametrize("tilt", representatives([0.4, 1.5], 1))
def test_another_gravity_is_found_in_its_direction(tilt: float) -> None:
    gravity = 9.81 * np.array([0.0, -np.sin(tilt), -np.cos(tilt)])
    tilted = recorded_crane(crane(gravity=gravity.tolist()))
    chosen = only_step(tilted).chosen
    assert cause(chosen) == ("wrong_gravity", "gravity", (0, 1, 2))
    found_gravity = chosen.outcome.state.gravity
    assert found_gravity is not None
    assert np.linalg.norm(found_gravity) == pytest.approx(9.81)
    # also the part across gravity that no one tilted
    assert np.linalg.norm(found_gravity - gravity) < DEVIATIONS * chosen.deviation


def test_torque_without_gravity_is_told_from_another_direction() -> None:
    compensated = recorded_crane(crane(gravity=[0.0, 0.0, 0.0]))
    chosen = only_step(compensated).chosen
    assert cause(chosen) == ("wrong_gravity", "no gravity", (0, 1, 2))
    np.testing.assert_array_equal(chosen.outcome.state.gravity, 0.0)


def test_a_contact_is_found_with_its_times() -> None:
    chosen = only_step(with_effort(pushed(crane_recording().effort))).chosen
    assert cause(chosen) == ("contact", "contact", ())
    ((recording, start, stop),) = chosen.outcome.state.excluded
    assert recording == 0
    assert 6.5 < start <= 7.0
    assert 8.0 <= stop + 0.01 < 8.5


def test_a_motor_that_moves_two_joints_is_found_with_both() -> None:
    good, velocity = crane_recording(), crane_recording().velocity
    drag = 0.5 * velocity[:, 0] + 0.6 * np.sign(velocity[:, 0])
    chosen = only_step(with_effort(good.effort + np.outer(drag, ELBOW))).chosen
    assert cause(chosen) == ("unmodelled_coupling", "coupling", (2, 0))
    # of what rubs at reversals of the driving joint some remains
    assert chosen.outcome.refit.held_out[2] < 0.05


def test_two_faults_take_two_steps_the_larger_first() -> None:
    effort = crane_recording().effort * [1, 1, 2.5]
    _, steps = searched(with_effort(pushed(effort)))
    assert [cause(step.chosen)[0] for step in steps] == ["torque_factor", "contact"]
    assert steps[0].gain > steps[1].gain
    assert steps[1].before is steps[0].chosen.outcome
    assert steps[1].chosen.outcome.state.factor[0, 2] == pytest.approx(0.4, rel=0.02)


def test_what_no_cause_explains_takes_no_step() -> None:
    random = np.random.default_rng(1).standard_normal((2000, 1))
    disturbance = np.apply_along_axis(np.convolve, 0, random, np.hanning(50), mode="same")
    effort = crane_recording().effort
    size = effort[:, 2].std() / disturbance.std()
    start, steps = search(trial_of(with_effort(effort + size * disturbance * ELBOW)))
    assert start.refit.held_out[2] > 0.4
    assert steps == ()


@pytest.mark.thorough
@pytest.mark.parametrize("cutoff_hz", [0.7, 1.0, 8.0])
def test_a_low_cut_off_does_not_hide_a_cause(cutoff_hz: float) -> None:
    robot = crane(identification={"cutoff_hz": cutoff_hz, "trim_rest": False})
    good = crane_recording()
    teeth = np.tanh(good.effort / (0.1 * good.effort.std(axis=0)))
    ahead = replace(good, position=good.position + 0.1 / 2 * teeth * PAN, velocity=None)
    causes = [finding.cause for finding in identify(robot, ahead).findings]
    assert "backlash" in causes
    assert "backlash" not in [finding.cause for finding in identify(robot, good).findings]


def test_rows_in_reverse_order_are_time_that_runs_backwards() -> None:
    good = crane_recording()
    reversed_rows = {"position": good.position[::-1], "effort": good.effort[::-1]}
    (only,) = meanings(replace(good, **reversed_rows, velocity=None))
    assert only.cause == "flipped_sign"
    assert "time runs backwards" in only.sentence
    assert only.corrections == ()


def test_torque_of_the_other_sign_is_not_time_that_runs_backwards() -> None:
    good = crane_recording()
    (only,) = meanings(replace(good, effort=-good.effort))
    assert only.sentence.startswith("the torque of every joint has the opposite sign")
    assert [one.factor for one in only.corrections] == [-1.0]


def test_a_sign_with_which_parameters_stay_impossible_is_only_probable() -> None:
    good = crane_recording()
    trial = trial_of(replace(good, effort=-good.effort))
    (step,) = search(trial)[1]
    wording = Wording(trial, JOINTS, ["one"], correctable=True)
    doubted = replace(step.chosen, outcome=replace(step.chosen.outcome, penalty=5.0))
    meaning = wording.meaning(step, doubted)
    assert meaning.sentence.startswith("friction drives the joints")
    assert "probably the torque of every joint" in meaning.sentence
    assert [one.factor for one in meaning.corrections] == [-1.0]
    # as recorded, signs are those of the URDF's masses: neither is asserted
    against = replace(step.chosen, outcome=replace(step.before, penalty=0.0))
    meaning = wording.meaning(replace(step, before=step.chosen.outcome), against)
    assert "do not decide" in meaning.sentence
    assert meaning.corrections == ()


def test_where_inertia_is_hardly_seen_the_urdfs_masses_decide_between_torque_and_time() -> None:
    trial = trial_of(with_effort(-crane_recording().effort))
    (step,) = search(trial)[1]
    backwards = trial.judged(trial.outcome(replace(step.before.state, backwards=True)))
    rival = replace(step.chosen, outcome=replace(backwards, cost=step.chosen.outcome.cost - 1.0))
    assert _with_urdfs_sign(trial, [rival, step.chosen]) == [step.chosen]
    assert _with_urdfs_sign(trial, [rival]) == [rival]
