"""Tracking errors of the simulated drives with and without the identified model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.command_line import printed_by

from dynid.control.tracking.trial import identified, settling_time, track
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, SimulationError
from dynid.profile import load_robot
from dynid.robot.robot import Robot

Identified = tuple[Robot, Mechanism]


@pytest.fixture(scope="module")
def puma() -> Identified:
    return with_identified_model("puma560")


@pytest.fixture(scope="module")
def scara() -> Identified:
    return with_identified_model("scara")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`dynid tracking`: what it prints, where it is refused as an error."""
    return printed_by(monkeypatch, capsys, "tracking")


def with_identified_model(name: str) -> Identified:
    robot = load_robot(name)
    return robot, identified(robot)


def changed(name: str, *overrides: str) -> Robot:
    return load_robot(name, overrides=list(overrides))


def test_a_joint_that_another_disturbs_stays_where_it_is(puma: Identified) -> None:
    trial = track(*puma)
    assert trial.metric == "peak_to_peak_error"
    assert trial.without.metric > 5e-4
    assert trial.ratio < 0.05


def test_a_scara_settles_in_less_than_half_the_time(scara: Identified) -> None:
    _, model = scara
    for delay in (0.0, 0.003):
        robot = changed("scara", f"feedforward.additive_torque_delay={delay}")
        trial = track(robot, model)
        assert trial.metric == "settling_time"
        assert trial.without.metric > 0.1
        assert trial.ratio < 0.5


def test_a_model_without_torque_changes_nothing(puma: Identified) -> None:
    robot, model = puma
    nothing = model.with_parameters(np.zeros_like(model.parameters))
    trial = track(robot, nothing)
    assert trial.ratio == 1
    assert np.array_equal(trial.without.error, trial.with_model.error)


def test_half_the_torque_removes_about_half_of_the_error(puma: Identified) -> None:
    _, model = puma
    half = track(changed("puma560", "feedforward.gain=0.5"), model)
    assert 0.2 < half.ratio < 0.7  # not exactly half of it because of stiction


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("tracking.hold=0.05", "increase 'hold' or 'settle_window'"),
        ("tracking.settle_window=0.1", "has no error to reduce"),
    ],
    ids=["the robot does not settle", "there is no error to reduce"],
)
def test_a_trial_that_measures_nothing_is_an_error(
    scara: Identified, override: str, sentence: str
) -> None:
    with pytest.raises(SimulationError, match=sentence):
        track(changed("scara", override), scara[1])


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("tracking.amplitude=4", "joint 'joint_3' would reach the position"),
        ("tracking.frequency=8", "joint 'joint_3' would reach the velocity"),
        ("limits.acceleration=[12, 10, 15, 40, 40, 40]", "would reach the acceleration"),
    ],
)
def test_a_motion_beyond_the_profiles_limits_is_refused(
    puma: Identified, override: str, sentence: str
) -> None:
    _, model = puma
    with pytest.raises(ConfigurationError, match=sentence):
        track(changed("puma560", override), model)


def test_a_profile_without_a_tracking_motion_is_refused() -> None:
    robot = load_robot("ur10e")
    with pytest.raises(ConfigurationError, match="no motion under 'tracking'"):
        track(robot, robot.mechanism())


@pytest.mark.parametrize(
    ("error", "settled"),
    [
        ([3.0, 2.0, 1.0, 0.5, 0.5, 0.5], 2.0),
        ([0.5, 0.5, 3.0, 0.5, 0.5, 0.5], 3.0),  # it had left the window again
        ([0.5] * 6, 0.0),
    ],
)
def test_has_settled_when_it_stays_in_the_window(error: list[float], settled: float) -> None:
    assert settling_time(np.array(error), 1.0, 1.0, 2.0) == settled


def test_the_command_line_writes_a_plot_and_prints_json(
    tmp_path: Path, run: Callable[..., str]
) -> None:
    plot = tmp_path / "errors.png"
    printed = json.loads(run("--profile", "scara", "--json", "-o", plot))
    assert set(printed) == {"robot", "metric", "without", "with", "ratio"}
    assert printed["robot"] == "scara"
    assert printed["ratio"] == printed["with"] / printed["without"]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_command_line_prints_each_joints_errors(run: Callable[..., str]) -> None:
    printed = run("--profile", "puma560")
    assert all(f"joint_{number}" in printed for number in range(1, 7))
    assert "peak-to-peak error of joint_2" in printed


def test_a_plot_that_is_not_a_png_is_refused_before_the_trial(run: Callable[..., str]) -> None:
    assert "must end in .png" in run("-o", "errors.pdf", code=2)
