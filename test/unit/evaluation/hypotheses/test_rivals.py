"""What a torque's measurement does besides a factor, on a crane: named, or left undecided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import signal
from support.searched_arm import (
    NOISE,
    RATE,
    crane,
    crane_parameters,
    crane_recording,
    meanings,
    searched,
    trial_of,
)
from support.synthetic import recorded
from tried_faults import behind_play

from dynid.arrays import Array
from dynid.evaluation.hypotheses.relations import Context, Relation, relation_columns
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.recording.model import Recording


def changed(joint: int, change: Callable[[Array], Array]) -> Recording:
    effort = crane_recording().effort.copy()
    effort[:, joint] = change(effort[:, joint])
    return replace(crane_recording(), effort=effort)


def compressed(effort: Array) -> Array:
    return effort * (1 - 0.35 * np.abs(effort) / np.abs(effort).max())


def quadratic(effort: Array) -> Array:
    return effort * np.abs(effort) / np.abs(effort).max()


def uneven(effort: Array) -> Array:
    return np.where(effort > 0, effort, 0.6 * effort)


def low_passed(effort: Array, cutoff_hz: float = 1.5) -> Array:
    sos = signal.butter(1, cutoff_hz, fs=RATE, output="sos")
    return np.asarray(signal.sosfilt(sos, effort))


def crossed(joint: int, other: int, share: float) -> Recording:
    effort = crane_recording().effort.copy()
    effort[:, joint] += share * effort[:, other]
    return replace(crane_recording(), effort=effort)


@pytest.mark.parametrize(
    ("joint", "change"),
    [(1, compressed), (2, compressed), (1, quadratic), (2, quadratic), (2, uneven)],
)
def test_a_sensor_that_is_not_linear_has_no_torque_factor(
    joint: int, change: Callable[[Array], Array]
) -> None:
    _, steps = searched(changed(joint, change))
    asserted = [step.chosen.cause for step in steps if not step.others]
    assert "torque_factor" not in asserted


def test_a_sensor_that_saturates_is_named_with_its_joint() -> None:
    _, steps = searched(changed(1, compressed))
    assert (steps[0].chosen.cause, steps[0].chosen.joints) == ("nonlinear_torque", (1,))


@pytest.mark.parametrize(("joint", "cutoff_hz"), [(2, 1.5), (2, 2.0), (0, 1.0)])
def test_a_low_pass_of_torque_is_found_with_its_cut_off(joint: int, cutoff_hz: float) -> None:
    recording = changed(joint, lambda effort: low_passed(effort, cutoff_hz))
    _, (step,) = searched(recording)
    assert (step.chosen.kind, step.chosen.joints, step.others) == ("filter", (joint,), ())
    (meaning,) = meanings(recording)
    assert dict(meaning.evidence)["cut-off [Hz]"] == pytest.approx(cutoff_hz, rel=0.05)


@pytest.mark.parametrize("joint", [1, 2])
def test_a_low_pass_of_second_order_is_no_delay(joint: int) -> None:
    recording = changed(joint, lambda effort: low_passed(low_passed(effort, 2.0), 2.0))
    _, (step,) = searched(recording)
    assert (step.chosen.kind, step.chosen.joints, step.others) == ("second", (joint,), ())


def test_a_delay_may_be_a_low_pass_where_motion_is_slow() -> None:
    recording = changed(2, lambda effort: low_passed(low_passed(effort, 8.0), 8.0))
    _, (step,) = searched(recording)
    assert (step.chosen.kind, step.others) == ("delay", ())
    assert "second" in step.chosen.alike
    (meaning,) = meanings(recording)
    assert "by a delay or a low-pass, which the recordings do not distinguish" in meaning.sentence


@pytest.mark.parametrize(("joint", "least"), [(2, 0.1), (2, 0.15), (0, 0.1)])
def test_hysteresis_of_torque_is_named(joint: int, least: float) -> None:
    def looped(effort: Array) -> Array:
        widths = least * effort.std() * np.array([1, 2, 4, 8])
        return np.mean([behind_play(effort, width) for width in widths], axis=0)

    _, (step,) = searched(changed(joint, looped))
    assert (step.chosen.cause, step.chosen.joints) == ("torque_hysteresis", (joint,))
    assert step.others == ()


@pytest.mark.parametrize(("joint", "turns"), [(0, 1), (0, 2), (2, 2)])
def test_friction_that_changes_with_position_is_named(joint: int, turns: int) -> None:
    recording = crane_recording()
    position, velocity = recording.position[:, joint], np.gradient(recording.position[:, joint])
    rubbing = 0.3 * recording.effort[:, joint].std() * np.cos(turns * position) * np.sign(velocity)
    _, (step,) = searched(changed(joint, lambda effort: effort + rubbing))
    assert (step.chosen.cause, step.chosen.joints) == ("uneven_friction", (joint,))
    assert step.others == ()


@pytest.mark.parametrize(("joint", "other", "share"), [(2, 1, 0.15), (2, 1, -0.1), (2, 0, 0.5)])
def test_crosstalk_of_torque_is_no_friction_of_a_coupled_motor(
    joint: int, other: int, share: float
) -> None:
    recording = crossed(joint, other, share)
    _, steps = searched(recording)
    (step,) = steps
    assert (step.chosen.cause, set(step.chosen.joints)) == ("torque_crosstalk", {joint, other})
    assert step.others == ()
    (meaning,) = meanings(recording)
    name = meaning.joints[step.chosen.joints.index(joint)]
    assert dict(meaning.evidence)[f"share in {name}"] == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(("joint", "factor"), [(1, 0.6), (1, 2.5), (2, 0.6), (2, 1.3)])
def test_a_factor_stays_one_with_no_other_shape_beside_it(joint: int, factor: float) -> None:
    _, steps = searched(changed(joint, lambda effort: factor * effort))
    named = {c.cause for step in steps for c in (step.chosen, *step.others)}
    assert named == {"torque_factor"}


def test_shapes_of_a_torque_are_no_multiples_of_it() -> None:
    trial = trial_of(crane_recording())
    data = trial.data(Hypothesis.unchanged(trial.samples))
    context = Context(data, lambda _: data.torque, trial.samples.time, trial.samples.recording)
    columns = relation_columns(context, Relation("shape", (1,)))
    kept = data.kept[:, 1]
    products = data.torque[kept, 1] @ columns[kept, 1]
    assert np.abs(products) == pytest.approx(0.0, abs=1e-6 * np.linalg.norm(data.torque) ** 2)
    assert not columns[:, [0, 2]].any()


@pytest.mark.parametrize("factors", [(1.2, 0.8, 1.25), (0.9, 1.15, 0.8), (1.1, 1.3, 0.7)])
def test_a_recording_of_another_robot_of_the_type_is_no_factor_and_no_load(
    factors: tuple[float, float, float],
) -> None:
    mechanism = crane().mechanism()
    parameters = crane_parameters(crane())
    for body, factor in enumerate(factors):
        parameters[10 * body : 10 * body + 10] *= factor
        for friction in ("Fv", "Fc"):
            parameters[mechanism.parameter_names.index(f"{friction}{body + 1}")] *= factor**2
    other = recorded(mechanism, parameters, samples=2000, rate=RATE, noise=NOISE, seed=1)
    _, (step,) = searched(crane_recording(), other)
    assert (step.chosen.cause, step.chosen.kind) == ("recordings_differ", "robot")
    assert step.others == ()


@pytest.mark.parametrize("share", [0.4, 0.7])
def test_another_gain_of_one_direction_is_named(share: float) -> None:
    _, steps = searched(changed(2, lambda effort: np.where(effort > 0, effort, share * effort)))
    (first, *_) = steps
    named = {first.chosen.cause, *(other.cause for other in first.others)}
    assert "nonlinear_torque" in named
    assert first.chosen.joints == (2,)
