"""Friction selection for a whole robot, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.rubbing_arm import PLAIN, rubbing
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters
from typer.testing import CliRunner

from dynid.cli import app
from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import EstimationError
from dynid.identification.friction.candidates import MotionScales, candidates
from dynid.identification.friction.search import noise_at_rest, select_friction
from dynid.identification.friction.whole_model import with_terms
from dynid.profile import load_robot, write_profile
from dynid.recording.model import Recording
from dynid.signals.preprocess import preprocess

STOP = TermSettings(kind="presliding", scale=0.00123456)
VISCOUS = TermSettings(kind="viscous")


def test_terms_other_than_joint_friction_stay() -> None:
    kept = [
        {"kind": "offset"},
        {"kind": "spring_stiffness", "joints": ["elbow"]},
        {"kind": "viscous", "side": "motor", "joints": ["wrist"]},
    ]
    robot = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}, *kept])
    changed = with_terms(robot, [(VISCOUS,), (VISCOUS, STOP), (VISCOUS,)])
    assert changed.terms == (
        TermSettings(kind="viscous"),
        TermSettings(kind="presliding", scale=0.00123, joints=("elbow",)),
        *(TermSettings.model_validate(term) for term in kept),
    )


def test_friction_of_passive_joints_stays_in_their_order() -> None:
    robot = load_robot("delta_3")
    passive = tuple(robot.closed_chain.passive)
    everywhere = TermSettings(kind="viscous", joints=(*reversed(passive), *robot.joints))
    changed = with_terms(robot.with_terms((everywhere,)), [(VISCOUS,)] * len(robot.joints))
    assert (
        changed.explicit_terms[-1].joints == passive
    )  # the order of a set would differ between processes


def test_the_written_profile_has_the_chosen_terms(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    robot = arm_robot(limits={"velocity": [5.0, 5.0, 5.0]})
    changed = with_terms(robot, [(VISCOUS,), (VISCOUS, STOP), (VISCOUS,)])
    write_profile(changed, tmp_path / "arm.yaml", note="Of a test.")
    loaded = load_robot(tmp_path / "arm.yaml")
    assert loaded == changed
    assert loaded.urdf_xml == ARM_URDF


def unloaded(position: np.ndarray) -> Recording:
    """Return a recording of the arm at 100 Hz without torque."""
    return Recording(
        time=np.arange(len(position)) / 100.0,
        position=position,
        velocity=None,
        effort=np.zeros_like(position),
        joint_names=arm_robot().joints,
        sampling_rate=100.0,
    )


def test_noise_at_rest_is_measured_without_motion() -> None:
    robot = arm_robot(limits={"velocity": [5.0, 5.0, 5.0]})
    recording = rubbing(seeds=(0,))[0]
    random = np.random.default_rng(0)
    # 0.05 mrad to either side
    wavering = 1e-4 * random.integers(0, 2, recording.position.shape) + recording.position[-1]
    position = np.concatenate([recording.position, wavering])
    width, _ = noise_at_rest([preprocess(unloaded(position), robot)])
    np.testing.assert_allclose(width, 5e-5, rtol=1e-6)


def test_a_creeping_joint_does_not_count_as_noise() -> None:
    robot = arm_robot(
        limits={"velocity": [5.0] * 3},
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "velocity_threshold": {"absolute": 0.1},
        },
    )
    random = np.random.default_rng(0)
    time = np.arange(1000) / 100.0
    position = 1e-4 * random.integers(0, 2, (1000, 3)).astype(float)
    position[:400] += 0.01 * time[:400, None] - 0.04  # slower than the threshold of motion
    width, _ = noise_at_rest([preprocess(unloaded(position), robot)])
    np.testing.assert_allclose(width, 5e-5, rtol=1e-6)


def test_noise_without_rest_is_zero() -> None:
    signals = preprocess(rubbing(seeds=(0,))[0], arm_robot())
    width, speed = noise_at_rest([signals])
    assert not width.any()
    assert not speed.any()


@pytest.mark.thorough
def test_all_models_are_tried_and_the_one_of_the_joint_is_chosen() -> None:
    stop = {"kind": "presliding", "scale": 0.05, "joints": ["elbow"]}
    given = arm_robot(terms=[*PLAIN, {"kind": "rotor_inertia"}])
    found = select_friction(given, rubbing(stop, samples=600, Fh2=4.0, Fc2=0.0))
    elbow = found.joints[1]
    assert "stop" in elbow.chosen
    assert elbow.chosen_error < 0.5 * elbow.given_error
    tried = [trial.name for trial in elbow.tried]
    assert len(set(tried)) == len(tried) > len(candidates(MotionScales(1.0, 1.0, loaded=True)))
    assert [trial.name for trial in found.trials[1].trials] == tried


@pytest.mark.thorough
def test_a_profile_that_is_right_keeps_its_terms() -> None:
    stop = {"kind": "presliding", "scale": 0.05, "joints": ["elbow"]}
    right = arm_robot(terms=[*PLAIN, stop, {"kind": "rotor_inertia"}])
    found = select_friction(right, rubbing(stop, samples=600, Fh2=4.0, Fc2=0.0))
    assert [joint.chosen for joint in found.joints] == ["as given"] * 3
    assert found.robot.explicit_terms == right.explicit_terms


@pytest.mark.parametrize(
    ("samples", "effort", "sentence"),
    [
        (120, None, r"too short .* longer motion"),
        (600, 1.0, "shoulder, elbow and wrist is constant"),
    ],
)
def test_recordings_without_information_on_friction_are_refused(
    samples: int, effort: float | None, sentence: str
) -> None:
    mechanism = arm_robot().mechanism()
    one = recorded(mechanism, true_parameters(mechanism), samples=samples, noise=0.05)
    if effort is not None:
        one = replace(one, effort=np.full_like(one.effort, effort))
    with pytest.raises(EstimationError, match=sentence):
        select_friction(arm_robot(), [one])


def write_shoulder(folder: Path) -> list[str]:
    """Files of the arm's first joint alone: recordings, and last the profile."""
    (folder / "arm.urdf").write_text(ARM_URDF)
    robot = arm_robot(joints=["shoulder"])
    mechanism = robot.mechanism()
    files = []
    for seed in range(3):
        one = recorded(mechanism, true_parameters(mechanism), samples=300, rate=100.0, seed=seed)
        files.append(folder / f"swing_{seed}.npz")
        names = np.array(one.joint_names)
        arrays = {"time": one.time, "position": one.position, "effort": one.effort}
        np.savez(files[-1], joint_names=names, **arrays)
    files.append(folder / "arm_friction.yaml")
    content = yaml.safe_dump(robot.yaml_content(exclude_unset=True))
    files[-1].write_text(f"# My arm\n{content}")
    return [str(file) for file in files]


def test_the_command_writes_a_profile_that_identifies(tmp_path: Path) -> None:
    *recordings, robot = write_shoulder(tmp_path)
    out = tmp_path / "out"
    options = ["-p", robot, "--validate", recordings[2], "-o", str(out), "--json"]
    result = CliRunner().invoke(app, ["identify", "friction", *recordings[:2], *options])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert set(printed) == {"left_out", "joints", "terms", "validation", "notes"}
    shoulder, validation = printed["joints"]["shoulder"], printed["validation"]["swing_2.npz"]
    assert shoulder["chosen"] in [tried["name"] for tried in shoulder["candidates"]]
    assert set(shoulder) == {
        *("chosen", "reason", "unit", "given_error", "chosen_error", "candidates")
    }
    assert set(shoulder["candidates"][0]) == {
        *("name", "parameters", "shapes", "fit_error", "held_out_error")
    }
    assert validation["mean_chosen"] < 0.05
    assert set(validation) == {"joints", "mean_given", "mean_chosen"}
    assert set(validation["joints"][0]) == {
        *("joint", "unit", "given", "chosen", "standard_deviation")
    }
    assert "<svg" in (out / "friction.html").read_text()
    written = (out / "arm_friction.yaml").read_text()
    assert written.startswith("# Terms selected by `dynid identify friction`.\n# My arm\n")
    identified = CliRunner().invoke(
        app, ["identify", recordings[0], "-p", str(out / "arm_friction.yaml"), "-o", str(out)]
    )
    assert identified.exit_code == 0, identified.output
