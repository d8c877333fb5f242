"""What a cause means: sentence, remedy, and corrections that cure the recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import (
    ELBOW,
    JOINTS,
    LIFT,
    RATE,
    crane,
    crane_recording,
    meanings,
    recorded_crane,
    searched,
    trial_of,
)

from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.hypotheses.search import search
from dynid.evaluation.hypotheses.wording import Wording
from dynid.recording.corrections import corrected, correction_yaml
from dynid.recording.model import Recording

GOOD = crane_recording()
SWAPPED = [0, 2, 1]


def only_meaning(*recordings: Recording, names: tuple[str, ...] = ()) -> Finding:
    (meaning,) = meanings(*recordings, names=names)
    return meaning


def reversed_elbow() -> Recording:
    sign = 1 - 2 * ELBOW
    motion = {name: getattr(GOOD, name) * sign for name in ("position", "velocity", "effort")}
    return replace(GOOD, **motion, position_step=None)


def exchanged(*signals: str) -> Recording:
    swapped = {name: getattr(GOOD, name)[:, SWAPPED] for name in signals}
    return replace(GOOD, **swapped, position_step=None)


FAULTS = {
    "factor": (
        replace(GOOD, effort=GOOD.effort * [1, 1, 2.5]),
        "torque_factor",
        "elbow: torque is 2.50 times what the torques of the other joints imply",
    ),
    "sign": (
        replace(GOOD, effort=GOOD.effort * [1, 1, -1]),
        "flipped_sign",
        "elbow: torque has the opposite sign of its motion.",
    ),
    "all signs": (
        replace(GOOD, effort=-GOOD.effort),
        "flipped_sign",
        "the torque of every joint has the opposite sign",
    ),
    "reversed": (
        reversed_elbow(),
        "reversed_joint",
        "elbow: position and torque are counted in the direction opposite to the URDF's axis.",
    ),
    "torques": (
        exchanged("effort"),
        "swapped_channels",
        "lift and elbow: the torques of these joints are exchanged.",
    ),
    "positions": (
        exchanged("position", "velocity"),
        "swapped_channels",
        "lift and elbow: the positions of these joints are exchanged.",
    ),
    "channels": (
        exchanged("position", "velocity", "effort"),
        "swapped_channels",
        "lift and elbow: the positions and torques of these joints are exchanged.",
    ),
    "circle": (
        replace(
            GOOD,
            **{n: getattr(GOOD, n)[:, [2, 0, 1]] for n in ("position", "velocity", "effort")},
            position_step=None,
        ),
        "swapped_channels",
        "pan, lift and elbow: the positions and torques of these joints are exchanged.",
    ),
    "zero": (
        replace(GOOD, position=GOOD.position + 0.8 * LIFT),
        "encoder_zero",
        "lift: recorded positions are 0.80",
    ),
    "circle of torques": (
        replace(GOOD, effort=GOOD.effort[:, [1, 2, 0]]),
        "swapped_channels",
        "pan, lift and elbow: the torques of these joints are exchanged.",
    ),
    "clock": (
        replace(GOOD, time=1.3 * GOOD.time, velocity=None, sampling_rate=RATE / 1.3),
        "clock",
        "the clock counts 1.3",
    ),
    "delay": (
        replace(GOOD, effort=np.roll(GOOD.effort, 3, axis=0)),
        "time_shift",
        "torque is recorded 29.9 ms later than its motion (standard deviation 0.0",
    ),
}


@pytest.mark.parametrize("fault", representatives([*FAULTS], 1))
def test_corrections_of_a_cause_cure_the_recording(fault: str) -> None:
    wrong, cause, sentence = FAULTS[fault]
    meaning = only_meaning(wrong)
    assert meaning.cause == cause
    assert meaning.sentence.startswith(sentence)
    assert meaning.corrections != ()
    assert f"In the profile: {correction_yaml(meaning.corrections)}." in meaning.remedy
    start, steps = searched(corrected(wrong, meaning.corrections))
    assert steps == ()
    assert np.all(start.refit.held_out < 0.01)


def test_the_profile_does_not_correct_channels_that_a_coupling_mixes() -> None:
    trial = trial_of(replace(GOOD, effort=GOOD.effort * [1, 1, -1]))
    _, (step,) = search(trial)
    meaning = Wording(trial, JOINTS, [""], correctable=False).meaning(step, step.chosen)
    assert meaning.corrections == ()
    assert "profile" not in meaning.remedy
    assert meaning.remedy.endswith(".")


def test_the_effect_is_that_at_the_joint_where_the_error_falls_most() -> None:
    wording = Wording(trial_of(GOOD), JOINTS, [""], correctable=True)
    where, effect = wording.effect(np.array([0.1, 0.2, np.nan]), np.array([0.09, 0.05, np.nan]))
    assert where == "lift"
    assert effect == (
        "a refit with it leaves 5.00 % of the torque of lift unexplained on data left out, "
        "instead of 20.0 %"
    )


@pytest.mark.parametrize(
    ("factor", "unit"), representatives([(1000.0, "N mm or mA"), (0.001, "kN m")], 1)
)
def test_a_factor_near_that_of_a_unit_names_the_unit(factor: float, unit: str) -> None:
    meaning = only_meaning(replace(GOOD, effort=GOOD.effort * [1, 1, factor]))
    assert f" (maybe {unit})" in meaning.sentence
    assert meaning.corrections[0].factor == pytest.approx(1 / factor, rel=0.02)


def test_gravity_is_set_in_the_profile() -> None:
    tilted = recorded_crane(crane(gravity=[0.0, -9.81, 0.0]))
    meaning = only_meaning(tilted)
    assert (meaning.cause, meaning.joints, meaning.corrections) == ("wrong_gravity", (), ())
    assert "and not (0, 0, -9.81) m/s^2 of the profile" in meaning.sentence
    assert "the angle between them is 90 deg" in meaning.sentence
    # the key that the remedy names cures the profile
    values = meaning.remedy.rsplit("gravity: [", 1)[1].rstrip("].").split(",")
    gravity = [float(value) for value in values]
    start, steps = searched(tilted, robot=crane(gravity=gravity))
    assert steps == ()
    assert np.all(start.refit.held_out < 0.02)


def test_a_compensated_gravity_is_set_to_that_of_the_robot() -> None:
    meaning = only_meaning(recorded_crane(crane(gravity=[0.0, 0.0, 0.0])))
    assert meaning.cause == "wrong_gravity"
    assert meaning.sentence.startswith("the torque contains no gravity.")
    assert meaning.remedy == "Set 'gravity: by_robot' in the profile."


def test_a_contact_is_named_with_its_joint_and_times() -> None:
    effort = GOOD.effort.copy()
    effort[700:800, 1] += 20.0
    meaning = only_meaning(replace(GOOD, effort=effort))
    assert (meaning.cause, meaning.joints) == ("contact", ("lift",))
    evidence = dict(meaning.evidence)
    assert set(evidence) == {"start 1 [s]", "stop 1 [s]"}
    assert 6.5 < evidence["start 1 [s]"] <= 7.0
    assert 7.99 <= evidence["stop 1 [s]"] < 8.5
    times = f"from {evidence['start 1 [s]']:.1f} to {evidence['stop 1 [s]']:.1f} s"
    assert times in meaning.sentence


def test_a_coupling_names_the_driven_joint_first() -> None:
    velocity = GOOD.velocity[:, 0]
    drag = 0.5 * velocity + 0.6 * np.sign(velocity)
    meaning = only_meaning(replace(GOOD, effort=GOOD.effort + np.outer(drag, ELBOW)))
    assert (meaning.cause, meaning.joints) == ("unmodelled_coupling", ("elbow", "pan"))
    assert meaning.sentence.startswith("elbow: friction or a rotor that moves with pan acts on it")
    assert "If the transmissions of pan and elbow are coupled" in meaning.remedy


def test_a_recording_that_differs_is_named_with_its_number_and_file() -> None:
    second = crane_recording(1)
    wrong = replace(second, effort=1.5 * second.effort)
    meaning = only_meaning(
        GOOD, wrong, crane_recording(2), names=("one", "another (b.csv)", "last")
    )
    assert (meaning.cause, meaning.joints, meaning.corrections) == ("recordings_differ", (), ())
    assert meaning.sentence == (
        "another (b.csv): the torque of all joints is 1.50 times what the rest implies."
    )
    assert dict(meaning.evidence)["ratio"] == pytest.approx(1.5, rel=1e-3)
