"""Elastic joints from two encoders: a rod whose deflection follows from its link torque."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from support.elastic_rod import DELAY, OFFSET, Gear, recording
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import ConfigurationError, RecordingError
from dynid.recording.model import Recording
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid_plugins.elastic.identification import deflection_errors, identify_elastic
from dynid_plugins.elastic.report import print_elastic
from dynid_plugins.elastic.result import ElasticJoint
from dynid_plugins.elastic.two_encoders import two_encoders

GEAR = Gear()
STIFFNESS, DAMPING, BACKLASH, NOISE = GEAR.stiffness, GEAR.damping, GEAR.backlash, GEAR.noise
SETTINGS = (
    "elastic.rotor_inertia=0.5",
    "identification.cutoff_hz=20",
    "terms=[viscous, {kind: coulomb, smoothing: 0.01}, offset]",
)


def rod(*more: str) -> Robot:
    return GEAR.robot(*more)


def identified(robot: Robot, pair: Recording) -> ElasticJoint:
    (joint,) = identify_elastic(robot, [pair], model=nominal_model(robot)).joints
    return joint


@pytest.fixture(scope="module")
def joint() -> ElasticJoint:
    robot = rod()
    return identified(robot, two_encoders(*recording(robot), robot))


@pytest.mark.parametrize(
    ("name", "true", "share"),
    [
        ("stiffness", STIFFNESS, 0.005),
        ("damping", DAMPING, 0.1),
        ("backlash", BACKLASH, 0.05),
        ("delay", DELAY, 0.01),
        ("offset", OFFSET, 0.001),
    ],
)
def test_what_is_true_is_found_within_the_noise(
    joint: ElasticJoint, name: str, true: float, share: float
) -> None:
    found = getattr(joint, name)
    assert found.value == pytest.approx(true, rel=share)
    assert 0 < found.deviation < share * true


def test_a_recording_that_ends_in_full_motion_has_no_other_damping() -> None:
    robot = rod()
    damping = identified(robot, two_encoders(*recording(robot, seconds=6.0), robot)).damping
    assert abs(damping.value - DAMPING) < 3 * damping.deviation < 0.1 * DAMPING


def test_a_recording_of_the_filter_alone_is_refused() -> None:
    robot = rod()
    motor, link = recording(robot, seconds=0.7)
    pair = replace(motor, link_position=link)
    with pytest.raises(RecordingError, match=r"lasts 0\.7 s.*record at least 0\.816 s"):
        identified(robot, pair)


def test_nothing_is_added_to_a_joint_that_is_linear(joint: ElasticJoint) -> None:
    assert (joint.fit.columns.extras, joint.harmonics, joint.verdict) == ((), (), "elastic")


def test_a_torque_that_keeps_its_sign_says_nothing_of_backlash() -> None:
    robot = rod()
    motor, link = recording(robot, centre=0.9, size=0.6)  # crosses 0 for too short a time
    found = identified(robot, two_encoders(motor, link, robot))
    assert found.backlash is None
    assert found.stiffness.value == pytest.approx(STIFFNESS, rel=0.05)


@pytest.mark.parametrize("share", [0.02, 0.3], ids=["of a little", "of a third"])
def test_a_joint_that_hardens_has_a_cubic_stiffness(share: float) -> None:
    """By a share of the linear torque at the deflection that 30 N m would cause without it."""
    gear = Gear(hardening=share * STIFFNESS**3 / 30**2)
    robot = gear.robot()
    joint = identified(robot, two_encoders(*recording(robot, gear), robot))
    found = joint.hardening
    assert found.value == pytest.approx(gear.hardening, rel=0.2)
    assert abs(found.value - gear.hardening) < 3 * found.deviation
    assert abs(joint.stiffness.value - STIFFNESS) < 3 * joint.stiffness.deviation


@pytest.mark.parametrize("share", [1e-3, pytest.param(-2e-3, marks=pytest.mark.thorough)])
def test_another_scale_of_the_encoders_is_no_stiffness(share: float) -> None:
    """It goes with gravity, as the deflection by load does."""
    robot = rod()
    pair = two_encoders(*recording(robot, size=2.0, added=lambda q, _: share * q), robot)
    found = identified(robot, pair)
    assert abs(found.stiffness.value - STIFFNESS) < 3 * found.stiffness.deviation < 10.0
    assert found.scale.value == pytest.approx(share, rel=0.01)


def test_a_wave_of_the_gear_is_found_by_its_order() -> None:
    robot = rod()
    pair = two_encoders(*recording(robot, added=lambda q, _: 3e-4 * np.cos(60 * q + 1)), robot)
    wave = identified(robot, pair).harmonics[0]
    assert wave.order == pytest.approx(60, abs=0.5)
    assert wave.amplitude == pytest.approx(3e-4, rel=0.15)


def test_deflection_of_another_recording_is_predicted_to_its_noise() -> None:
    robot = rod()
    fitted, other = (two_encoders(*recording(robot, seed=seed), robot) for seed in (0, 1))
    found = identify_elastic(robot, [fitted], model=nominal_model(robot))
    errors = deflection_errors(found, other)
    assert errors.rms["joint_1"] < 2 * NOISE < 0.01 * errors.range["joint_1"]


def test_swapped_encoders_are_named() -> None:
    robot = rod()
    motor, link = recording(robot)
    swapped = Recording.from_arrays(motor.time, link, motor.effort, joint_names=robot.joints)
    joint = identified(robot, two_encoders(swapped, motor.position, robot))
    assert (joint.has_wrong_sign, joint.verdict) == (True, "unknown")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda link: 0 * link, "that of the link stands still while the motor turns"),
        (lambda link: -link, "the motor moves -1"),
        (lambda link: 57.3 * link, "the motor moves 0.017"),
    ],
)
def test_encoders_that_disagree_are_refused(
    change: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    robot = rod()
    motor, link = recording(robot)
    with pytest.raises(RecordingError, match=words):
        two_encoders(motor, change(link), robot)


def test_a_joint_of_another_name_is_refused() -> None:
    robot = rod("elastic.joints=[elbow]")
    with pytest.raises(ConfigurationError, match="names 'elbow', which is no joint"):
        two_encoders(*recording(rod()), robot)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    motor, link = recording(rod())
    path = tmp_path_factory.mktemp("elastic") / "rod.csv"
    columns = np.hstack([motor.time[:, None], motor.position, link, motor.effort])
    np.savetxt(path, columns, delimiter=",", header="t,motor,link,torque", comments="")
    return path


COLUMNS = (
    "recording.columns={time: {column: t}, joints: [joint_1], position: {columns: [motor]}, "
    "effort: {columns: [torque]}}"
)


def words(table: Path, *settings: str) -> list[str]:
    given = [word for one in (*SETTINGS, COLUMNS, *settings) for word in ("--set", one)]
    return ["identify", "elastic", str(table), "-p", "pendulum", *given]


def test_a_table_with_two_position_columns_is_identified(table: Path, tmp_path: Path) -> None:
    picture = tmp_path / "deflection.png"
    link = "elastic.link_position={columns: [link]}"
    command = [*words(table, link), "--validate", str(table), "-o", str(picture), "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    row = found["joints"]["joint_1"]
    assert row["stiffness"] == pytest.approx(STIFFNESS, rel=0.01)
    assert found["validation"]["rod.csv"]["rms"]["joint_1"] < 1e-4
    assert picture.stat().st_size > 1000


def test_a_profile_without_a_second_encoder_is_told_what_is_missing(table: Path) -> None:
    done = CliRunner().invoke(app, words(table))
    assert done.exit_code != 0
    assert "names no encoders at the links" in str(done.exception)


@pytest.mark.parametrize(
    ("play", "shown", "impossible"),
    [(0.0, "at most", False), (-3e-4, "—", True)],
    ids=["none", "the link is ahead where the load changes its sign"],
)
def test_no_negative_backlash_is_stated(play: float, shown: str, impossible: bool) -> None:
    robot = rod()
    shift = BACKLASH - play
    motor, link = recording(robot, added=lambda q, torque: -0.5 * shift * np.sign(torque))
    pair = two_encoders(motor, link, robot)
    found = identify_elastic(robot, [pair], model=nominal_model(robot))
    console = Console(width=200, record=True, file=StringIO())
    print_elastic(console, found, {})
    lines = console.export_text().splitlines()
    assert any(shown in line for line in lines if line.startswith("joint_1"))
    assert any("is not possible" in line for line in lines) is impossible
