"""The choice of joint terms by the recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.rubbing_arm import PLAIN, rubbing
from support.synthetic import arm_robot, true_parameters

from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.friction import joint_trials, search
from dynid.identification.friction.candidates import candidate
from dynid.identification.friction.search import choose_terms
from dynid.identification.friction.selection import FrictionSelection
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess


def chosen(recordings: list[Recording], robot: Robot | None = None) -> FrictionSelection:
    robot = robot or arm_robot(terms="auto")
    return choose_terms(robot, recordings, [preprocess(one, robot) for one in recordings])


def models(selection: FrictionSelection) -> dict[str, str]:
    return {one.joint: one.chosen for one in selection.joints}


def test_friction_that_grows_with_load_is_found_at_its_joint() -> None:
    load = {"kind": "coulomb_load", "joints": ["elbow"], "smoothing": 0.02}
    selection = chosen(rubbing(load, samples=1000, Fl2=0.4, Fc2=0.0))
    assert selection.left_out == "recording"
    assert "load" in models(selection)["elbow"]
    kinds = {term.kind: term.joints for term in selection.robot.explicit_terms}
    assert kinds["coulomb_load"] == ("elbow",)
    assert kinds["rotor_inertia"] == "all"


@pytest.mark.thorough
def test_the_full_search_tries_all_models_of_the_quick_one(monkeypatch) -> None:
    monkeypatch.setattr(
        joint_trials, "candidates", lambda motion: (candidate("asymmetric", motion),)
    )
    robot, recordings = arm_robot(terms="auto"), rubbing(samples=300)
    signals = [preprocess(one, robot) for one in recordings]
    quick, full = (
        choose_terms(robot, recordings, signals, every=every).joints for every in (False, True)
    )
    for few, all_models in zip(quick, full, strict=True):
        tried = [trial.name for trial in all_models.tried]
        assert {trial.name for trial in few.tried[1:]} | {"asymmetric"} <= set(tried)
        assert len(tried) == len(set(tried))


def test_errors_of_a_linear_axis_are_forces() -> None:
    robot = load_robot("axis_linear")
    time = np.arange(0, 6, 0.01)[:, None]
    position, velocity = 0.2 * np.sin(2 * time), 0.4 * np.cos(2 * time)
    effort = 50 * -0.8 * np.sin(2 * time) + 20 * velocity + 5 * np.tanh(velocity / 0.01)
    recording = Recording.from_arrays(time[:, 0], position, effort, joint_names=robot.joints)
    (axis,) = chosen([recording], robot).joints
    assert axis.unit == "N"
    assert "N·m" not in axis.reason


def test_presliding_friction_is_found_in_a_single_recording() -> None:
    stop = {"kind": "presliding", "scale": 0.05, "joints": ["elbow"]}
    selection = chosen(rubbing(stop, seeds=(0,), samples=2500, Fh2=4.0, Fc2=0.0))
    assert selection.left_out == "5th of the recording"
    assert "stop" in models(selection)["elbow"]
    # a remedy names what was tried instead of a term to add
    finding = Finding("friction_terms", ("elbow",), "warning", "Elbow.", "Add stribeck.", {})
    assert "Add stribeck" not in selection.remedy(finding).remedy
    assert models(selection)["elbow"] in selection.remedy(finding).remedy
    other = Finding("noise", ("elbow",), "note", "Elbow.", "Filter.", {})
    assert selection.remedy(other) is other


def joints_with(selection: FrictionSelection, kind: str) -> tuple[str, ...]:
    return tuple(
        joint
        for term in selection.robot.explicit_terms
        if term.kind == kind
        for joint in term.joints
    )


def test_friction_that_differs_between_directions_is_found_at_its_joint() -> None:
    forwards = {"kind": "viscous_positive", "joints": ["elbow"]}
    selection = chosen(rubbing(forwards, samples=1000, Fvp2=2.0))
    assert "viscous by direction" in models(selection)["elbow"]
    kinds = {term.kind: term.joints for term in selection.robot.explicit_terms}
    assert kinds["viscous_positive"] == kinds["viscous_negative"] == ("elbow",)
    assert set(kinds["viscous"]) == {"shoulder", "wrist"}


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        pytest.param("spring_stiffness", {"K3": 3.0}, marks=pytest.mark.thorough),
        ("spring_stiffness", {"K3": -3.0}),
        pytest.param("spring_cubic", {"Kc3": 3.0}, marks=pytest.mark.thorough),
    ],
    ids=["stiff", "pushes away from its balance", "grows stiffer"],
)
def test_a_spring_is_found_at_its_joint(kind: str, size: dict[str, float]) -> None:
    found = chosen(rubbing({"kind": kind, "joints": ["wrist"]}, samples=1000, **size))
    assert joints_with(found, kind) == ("wrist",)


@pytest.mark.thorough
def test_a_spring_that_the_profile_names_is_not_asked_for_again() -> None:
    spring = {"kind": "spring_stiffness", "joints": ["wrist"]}
    known = arm_robot(terms=[*PLAIN, spring])
    recordings = rubbing(spring, samples=1000, K3=3.0)
    assert not any("spring" in name for name in models(chosen(recordings, known)).values())


def test_plain_friction_needs_no_memory_and_no_load() -> None:
    selection = chosen(rubbing(samples=1000))
    assert not selection.springs
    richer = ("stop", "load", "direction", "spring")
    assert not [name for name in models(selection).values() if any(w in name for w in richer)]


@pytest.mark.parametrize("seed", representatives([0, 1, 2], 1))
def test_chosen_terms_are_never_worse_than_plain_ones_on_held_out_data(seed: int) -> None:
    # few, noisy samples, on which a richer model overfits
    for recordings in (rubbing(seeds=(seed,), samples=400), rubbing(seeds=(seed, 7), samples=300)):
        selection = chosen(recordings)
        errors = [(one.chosen_error, one.given_error) for one in selection.joints]
        assert np.mean([error for error, _ in errors]) <= np.mean([plain for _, plain in errors])


@pytest.mark.thorough
def test_a_joint_that_is_not_better_in_the_whole_model_keeps_plain_terms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # as if the search had chosen, at every joint, the richest model instead of a good one
    monkeypatch.setattr(joint_trials, "choose", lambda trials: trials[-1])
    recordings = rubbing(seeds=(0,), samples=400)
    selection = chosen(recordings)
    for one in selection.joints:
        if one.chosen == "plain":
            assert one.reason.startswith("in the model of the whole robot")
        else:
            assert one.chosen_error < one.given_error


@pytest.mark.thorough
def test_shapes_that_hold_for_a_part_only_are_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    # as if a part of the recording decided alone on a factor, given the shapes of the whole
    load = {"kind": "coulomb_load", "joints": ["elbow"], "smoothing": 0.02}
    recordings = rubbing(load, samples=600, Fl2=0.4, Fc2=0.0)
    assert "load" in models(chosen(recordings))["elbow"]
    found = search.WholeModel.relative_errors

    def worse(self, parts):
        delivered = all(part == parts[0] for part in parts)
        loaded = any(term.kind == "coulomb_load" for term in parts[0][1])
        return found(self, parts) * (1e3 if delivered and loaded else 1.0)

    monkeypatch.setattr(search.WholeModel, "relative_errors", worse)
    assert models(chosen(recordings))["elbow"] == "plain"


@pytest.mark.thorough
def test_recordings_that_need_each_other_are_held_out_in_parts() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recordings = []
    for joint, one in enumerate(rubbing(samples=600)):
        position = np.full_like(one.position, 0.3)
        position[:, joint] = one.position[:, joint]
        velocity = np.gradient(position, one.time, axis=0)
        acceleration = np.gradient(velocity, one.time, axis=0)
        parameters = true_parameters(mechanism)
        effort = mechanism.torque(position, velocity, acceleration, parameters)
        recordings.append(replace(one, position=position, velocity=velocity, effort=effort))
    assert chosen(recordings).left_out == "5th of every recording"


def test_a_joint_that_does_not_move_keeps_plain_terms() -> None:
    one = rubbing(seeds=(0,), samples=1500)[0]
    position = one.position.copy()
    position[:, 2] = 0.3
    still = Recording(
        time=one.time,
        position=position,
        velocity=None,
        effort=one.effort,
        joint_names=one.joint_names,
        sampling_rate=one.sampling_rate,
    )
    selection = chosen([still])
    assert models(selection)["wrist"] == "plain"
    assert selection.joints[2].reason == "the joint does not move"


def test_a_short_recording_gives_plain_terms_and_a_note() -> None:
    robot = arm_robot(terms="auto")
    selection = chosen(rubbing(seeds=(0,), samples=100))
    assert selection.robot.terms == robot.explicit_terms
    assert "too short" in selection.note()
