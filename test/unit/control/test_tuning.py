"""Collision thresholds from the torque errors of free motion."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import printed_by
from support.small_robot import write_small_robot

from dynid.control.collisions import with_thresholds
from dynid.control.residual import CommandedResidual, recorded_residual
from dynid.control.tuning import Tuning, count_alarms, tune
from dynid.errors import ConfigurationError
from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_model, load_robot
from dynid.recording.convert import write_bag
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.simulate import simulate

RATE = 250.0  # [Hz]
WEIGHT = 20.0  # measured torque [N m]


def small_profile(folder: Path, **collision: object) -> Robot:
    return load_robot(write_small_robot(folder, collision=collision))


def tuned(
    folder: Path, *residuals: CommandedResidual, rate: float = 6.0, **collision: object
) -> Tuning:
    return tune(small_profile(folder, **collision), residuals, false_alarms_per_hour=rate)


def swinging(minutes: float, seed: int = 0, *, by_speed: float = 0.0) -> CommandedResidual:
    """Return two oscillating joints, with noise of 1 N m as torque error that grows with speed."""
    count = round(60 * minutes * RATE)
    random = np.random.default_rng(seed)
    time = np.arange(count) / RATE
    velocity = np.stack([2.0 * np.cos(1.3 * time), 1.5 * np.cos(2.1 * time)], axis=1)
    size = 1.0 + by_speed * np.abs(velocity)
    error = size * random.normal(size=(count, 2))
    still = np.zeros_like(error)
    acceleration = np.gradient(velocity, time, axis=0)
    return CommandedResidual(error, still + WEIGHT, velocity, acceleration, still, still, RATE)


def test_other_motion_causes_no_more_alarms_than_requested(tmp_path: Path) -> None:
    robot = small_profile(tmp_path)
    tuning = tune(robot, [swinging(5.0)], false_alarms_per_hour=6.0)
    # 3 are expected in half an hour; a Poisson process exceeds 9 once in a thousand times
    assert count_alarms(robot, tuning, swinging(30.0, seed=1)) <= 9


def test_thresholds_are_not_much_higher_than_necessary(tmp_path: Path) -> None:
    tuning = tuned(tmp_path, swinging(5.0))
    for joint in tuning.joints:
        assert joint.largest < joint.torque_error_max + joint.reversal_boost
        assert joint.torque_error_max < 1.6 * joint.largest


def test_fewer_alarms_require_higher_thresholds(tmp_path: Path) -> None:
    often, seldom = (tuned(tmp_path, swinging(2.0), rate=rate) for rate in (1000.0, 0.1))
    for low, high in zip(often.joints, seldom.joints, strict=True):
        assert high.torque_error_max > low.torque_error_max


def test_a_threshold_has_the_shape_of_the_errors(tmp_path: Path) -> None:
    robot = small_profile(tmp_path)
    residual = swinging(5.0, by_speed=3.0)
    tuning = tune(robot, [residual], false_alarms_per_hour=6.0)
    for joint in tuning.joints:
        assert joint.velocity_factor > 1.5 * joint.torque_error_max
    assert count_alarms(robot, tuning, residual) == 0


def test_standstill_has_its_own_share(tmp_path: Path) -> None:
    residual = swinging(5.0)
    slow = np.abs(residual.velocity) <= 0.2
    residual.error[slow] += 20.0
    tuning = tuned(tmp_path, residual, low_speed=[0.2])
    for joint in tuning.joints:
        assert joint.reversal_boost > 10.0
        assert joint.torque_error_max < 10.0


def test_the_filter_does_not_depend_on_the_rate(tmp_path: Path) -> None:
    robot = small_profile(tmp_path, torque_error_time_constant=[0.05])
    zero = np.zeros((1000, 2))
    for rate in (100.0, 250.0, 1000.0):
        count = round(0.1 * rate)
        still = zero[:count]
        residual = CommandedResidual(np.ones((count, 2)), still, still, still, still, still, rate)
        filtered, _, _ = residual.run_detector(robot)
        assert filtered[-1] == pytest.approx([1 - np.exp(-2.0)] * 2)


def test_the_uncertainty_shrinks_with_more_motion(tmp_path: Path) -> None:
    short, long = (tuned(tmp_path, swinging(minutes), rate=0.1) for minutes in (0.5, 20.0))
    widths = [np.mean([j.moving.high - j.moving.low for j in t.joints]) for t in (short, long)]
    assert widths[1] < 0.5 * widths[0]
    assert short.warnings[0].startswith("one false alarm in 10 h is requested, but the recordings")


def test_recordings_that_differ_give_a_warning(tmp_path: Path) -> None:
    robot = small_profile(tmp_path)
    alike = tune(robot, [swinging(2.0), swinging(2.0, seed=1)], false_alarms_per_hour=6.0)
    assert sum(alike.held_out_alarms) <= 1
    rough = swinging(2.0, seed=1)
    rough.error[:] *= 3.0
    other = tune(robot, [swinging(2.0), rough], false_alarms_per_hour=6.0)
    assert other.held_out_alarms[0] == 0
    assert other.held_out_alarms[1] > 10
    assert "other kinds of motion will cause more alarms" in other.warnings[-1]
    assert tune(robot, [rough], false_alarms_per_hour=6.0).held_out_alarms == ()


def resting(minutes: float, seed: int = 0) -> CommandedResidual:
    """Return two joints at rest, with little noise."""
    error = 0.01 * np.random.default_rng(seed).normal(size=(round(60 * minutes * RATE), 2))
    still = np.zeros_like(error)
    return CommandedResidual(error, still + WEIGHT, still, still, still, still, RATE)


def test_a_threshold_at_rest_is_not_below_dry_friction(tmp_path: Path) -> None:
    dry = replace(swinging(2.0), friction=np.full((round(120 * RATE), 2), 30.0))
    tuning = tuned(tmp_path, dry, low_speed=[0.2])
    for joint in tuning.joints:
        assert joint.friction == 30.0
        assert joint.reversal_boost >= 30.0
        # which may differ by a tenth in motion
        assert 3.0 < joint.torque_error_max < 15.0


def test_an_additional_recording_at_rest_lowers_no_threshold(tmp_path: Path) -> None:
    robot = small_profile(tmp_path, low_speed=[0.2])
    moving = [swinging(2.0), swinging(2.0, seed=1)]
    for rough in moving:
        rough.error[np.abs(rough.velocity) <= 0.2] *= 5.0
    alone = tune(robot, moving, false_alarms_per_hour=6.0)
    with_rest = tune(robot, [*moving, resting(5.0)], false_alarms_per_hour=6.0)
    for before, after in zip(alone.joints, with_rest.joints, strict=True):
        at_rest = after.torque_error_max + after.reversal_boost
        assert at_rest >= 0.9 * (before.torque_error_max + before.reversal_boost)


def test_thresholds_are_raised_to_the_errors_of_a_held_out_recording(
    tmp_path: Path,
) -> None:
    rough = swinging(2.0, seed=1)
    rough.error[:] *= 3.0
    tuning = tuned(tmp_path, swinging(2.0), rough)
    for joint in tuning.joints:
        assert joint.raised[0] > 1.5
        assert joint.torque_error_max > 2 * joint.largest


def test_motion_more_abrupt_than_recorded_raises_thresholds(
    tmp_path: Path,
) -> None:
    robot = small_profile(tmp_path, low_speed=[0.2])
    residual = swinging(5.0)
    slow = np.abs(residual.velocity) <= 0.2
    residual.error[slow] += 20.0
    tuning = tune(robot, [residual], false_alarms_per_hour=6.0)
    other = swinging(1.0, seed=2)
    start = 10 + int(np.argmax(np.abs(other.velocity[:, 0]) > 1.9))
    jolt = slice(start, start + 5)
    other.error[jolt, 0] += 20.0
    assert count_alarms(robot, tuning, other) > 0
    other.acceleration[jolt, 1] += 20.0  # of the other joint
    assert count_alarms(robot, tuning, other) == 0


@pytest.mark.parametrize(
    ("rate", "minutes", "sentence"),
    [
        (float("inf"), 1.0, "--false-alarms-per-hour inf: must be from 1e-09 to 1e"),
        (float("nan"), 1.0, "--false-alarms-per-hour nan: must be from 1e-09 to 1e"),
        (1e-308, 1.0, "--false-alarms-per-hour 1e-308: must be from 1e-09 to 1e"),
        (0.0, 1.0, "--false-alarms-per-hour 0: must be from 1e-09 to 1e"),
        (1.0, 0.01, "0.6 s of motion are too short for tuning"),
    ],
)
def test_invalid_requests_are_refused(
    tmp_path: Path, rate: float, minutes: float, sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        tuned(tmp_path, swinging(minutes), rate=rate)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small robot's profile, a bag of its motion, and the model identified from it."""
    folder = tmp_path_factory.mktemp("workshop")
    robot = load_robot(write_small_robot(folder))
    recording = simulate(robot, make_plan(robot).excitation)
    write_bag(recording, folder / "motion")
    identify(robot, recording).model.save(folder / "model.yaml")
    return folder


@pytest.fixture
def run(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """`dynid collisions tune`: what it prints, where it is refused as an error."""
    command = ["collisions", "tune", workshop / "motion", "-m", workshop / "model.yaml"]
    return printed_by(monkeypatch, capsys, *command)


def test_torque_errors_of_a_recording_are_small_compared_to_its_torque(workshop: Path) -> None:
    robot = load_robot(workshop / "duo.yaml")
    recording = simulate(robot, make_plan(robot).excitation, seed=5)
    mechanism = load_model(workshop / "model.yaml").mechanism
    residual = recorded_residual(robot, mechanism, recording)
    assert residual.error.shape == recording.position.shape
    assert np.all(np.std(residual.error, axis=0) < 0.2 * np.std(residual.torque, axis=0))


def test_the_command_line_prints_lines_for_a_profile(
    workshop: Path, run: Callable[..., str]
) -> None:
    printed = run()
    assert "shoulder" in printed
    assert "Warnings:" in printed
    assert "one false alarm in 10 h is requested" in printed
    lines = yaml.safe_load(printed[printed.index("collision:") :])
    robot = load_robot(write_small_robot(workshop, **lines))
    collision = robot.settings(CollisionSettings)
    assert collision.torque_error_max is not None
    assert len(collision.torque_error_max) == 2


def test_the_file_has_the_settings_of_the_tuned_detector(
    workshop: Path, run: Callable[..., str]
) -> None:
    file = workshop / "collision.yaml"
    printed = run("-o", file)
    lines = yaml.safe_load(printed[printed.index("collision:") : printed.index("wrote ")])
    robot = load_robot(write_small_robot(workshop, **lines))
    read = with_thresholds(load_robot(write_small_robot(workshop)), file)
    residual = swinging(0.1)
    for expected, found in zip(
        residual.run_detector(robot)[:2], residual.run_detector(read)[:2], strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_the_command_line_prints_json(run: Callable[..., str]) -> None:
    printed = json.loads(run("--json", "--false-alarms-per-hour", 100))
    assert set(printed) == {
        *("robot", "minutes", "false_alarms_per_hour", "joints", "torque_error_max"),
        *("velocity_factor", "acceleration_factor", "reversal_boost", "acceleration_step"),
        *("held_out_alarms", "largest_error", "friction", "raised", "moving", "resting"),
        *("settings", "causes", "detectable_force_at_rest", "detectable_force_in_motion"),
        "warnings",
    }
    assert set(printed["causes"][0]) == {
        *("recording", "time", "error", "resting", "threshold", "without"),
    }
    assert set(printed["detectable_force_at_rest"]) == {"of_joint", "easiest", "hardest"}
    assert set(printed["moving"][0]) == {"value", "low", "high", "peaks"}
    assert printed["joints"] == ["shoulder", "elbow"]
    assert len(printed["torque_error_max"]) == 2


def test_an_existing_file_is_never_replaced(workshop: Path, run: Callable[..., str]) -> None:
    robot = workshop / "duo.yaml"
    before = robot.read_text()
    assert "already exists; name a new file" in run("-o", robot, code=2)
    assert robot.read_text() == before


def test_a_joint_that_never_moves_gives_a_warning(tmp_path: Path) -> None:
    residual = swinging(1.0)
    residual.velocity[:, 1] = 0.0
    tuning = tuned(tmp_path, residual, rate=60.0)
    assert "joint 'elbow' hardly moves or is hardly at rest" in tuning.warnings[-1]


def test_one_threshold_for_motion_and_rest_is_compared_with_torque_max(tmp_path: Path) -> None:
    # 60 and 30 N m
    residual = swinging(1.0)
    residual.velocity[:, 1] = 0.0
    coarse = replace(residual, error=10 * residual.error, torque=10 * residual.torque)
    tuning = tuned(tmp_path, coarse, rate=60.0)
    assert "joint 'elbow': its threshold at rest is more than half of torque_max" in " ".join(
        tuning.warnings
    )


def test_a_recording_at_rest_gives_no_factors_of_motion(tmp_path: Path) -> None:
    residual = resting(1.0)
    trembling = 1e-12 * np.random.default_rng(1).normal(size=residual.velocity.shape)
    rest = replace(residual, velocity=trembling, acceleration=trembling)
    for joint in tuned(tmp_path, rest, rate=60.0).joints:
        assert (joint.velocity_factor, joint.acceleration_factor) == (0.0, 0.0)
        assert joint.torque_error_max < 1.0


@pytest.mark.parametrize("factor", [-1.0, 1000.0, 57.3])
def test_a_model_that_does_not_describe_the_recording_is_refused(
    tmp_path: Path, factor: float
) -> None:
    residual = swinging(1.0)
    expected = residual.torque + residual.error
    other = replace(residual, torque=factor * residual.torque)
    other = replace(other, error=expected - other.torque)
    with pytest.raises(ConfigurationError, match="recording 2 of free motion: the model leaves"):
        tuned(tmp_path, residual, other)


def test_friction_at_rest_and_noise_are_not_unexplained() -> None:
    residual = resting(1.0)
    random = np.random.default_rng(0)
    noisy = residual.error + 5.0 + 10.0 * random.normal(size=residual.error.shape)
    torque = np.full_like(noisy, 5.0)
    found = replace(residual, error=noisy, torque=torque, friction=np.full_like(noisy, 20.0))
    assert (found.unexplained() < 0.8).all()
    assert (replace(found, friction=0 * torque).unexplained() > 0.8).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--false-alarms-per-hour", 0], "must be from 1e-09 to"),
        (["--set", "collision.debounce_time=0.002"], "--set changes a profile"),
        (["-p", "scara"], "is of robot 'duo', this is 'scara'"),
    ],
)
def test_errors_are_one_sentence(
    run: Callable[..., str], arguments: list[object], sentence: str
) -> None:
    assert sentence in run(*arguments, code=2)
