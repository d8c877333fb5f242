"""Multisines within limits, and the stiffness of simulated arms that play them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.command_line import run_dynid
from support.stored_recording import stored

from dynid.errors import ConfigurationError, ExcitationError, RecordingError
from dynid.excitation.build import build_excitation
from dynid.excitation.files import excitation_text
from dynid.excitation.settings import FourierSettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import nominal_model
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.elastic.arm_stiffness import ArmStiffness, identify_arm
from dynid_plugins.elastic.harmonics import harmonics_of
from dynid_plugins.elastic.multisine import MultisineSpec, propose_multisine, read_multisine

STIFFNESS = (30000.0, 8000.0)
ELASTIC = ("elastic.stiffness=[30000, 8000]", "elastic.damping=[10, 3]")


def multisine(joint: int, highest_hz: float = 60.0) -> FourierSettings:
    return propose_multisine(
        nominal_model(load_robot("scara_2r")),
        joint,
        MultisineSpec(highest_hz=highest_hz),
    )


@cache
def played(joint: int, *overrides: str) -> Recording:
    """Recording of a joint's multisine on the simulated robot."""
    robot = load_robot("scara_2r", overrides=overrides)
    return simulate(robot, build_excitation(multisine(joint), robot.limits, robot.joints))


def identified(*overrides: str) -> ArmStiffness:
    robot = load_robot("scara_2r")
    recordings = [played(joint, *overrides) for joint in (0, 1)]
    return identify_arm(robot, recordings, multisine(0), model=simulated_model(robot))


def test_stiffness_of_both_joints_is_found_with_the_motors_alone() -> None:
    found = identified(*ELASTIC)
    for joint, value in enumerate(STIFFNESS):
        stiffness = found.stiffness(joint)
        assert abs(stiffness.value - value) < 2 * stiffness.deviation < 0.3 * value
    true_model = simulated_model(found.robot)
    true = dict(zip(true_model.parameter_names, true_model.parameters, strict=True))
    assert found.fit.gears.coulomb == pytest.approx([true["Fc1"], true["Fc2"]], rel=0.06)


def test_no_bending_is_named_at_a_rigid_arm() -> None:
    found = identified()
    assert [row["bends"] for row in found.rows()] == [False, False]
    assert found.stiffness(0) is None
    rotor = found.rotor(0)
    assert abs(rotor.value - 0.55) < 3 * rotor.deviation


def test_waves_are_even_harmonics_of_one_joint_with_some_left_out() -> None:
    settings = multisine(1)
    sine = np.array(settings.sine)
    assert not sine[0].any()
    waves = np.flatnonzero(sine[1]) + 1
    assert waves[0] == 1
    assert not np.any(waves[1:] % 2)
    assert 0.5 * (waves[-1] - waves[1]) > len(waves)
    assert settings.base_frequency * waves[-1] <= 60.0


def test_all_limits_are_kept_and_points_are_dense_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["excite", "multisine", "-p", "scara_2r", "-o", tmp_path / "waves.yaml"]
    assert run_dynid(monkeypatch, *words, "--periods", 3, "--highest", 20) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["waves_1.yaml", "waves_2.yaml"]
    plan = make_plan(load_robot("scara_2r"), excitation=tmp_path / "waves_2.yaml")
    time = np.linspace(0, plan.excitation.duration, 5001)
    wanted = plan.excitation.evaluate(time).acceleration
    error = plan.trajectory.evaluate(time).acceleration - wanted
    assert np.abs(error).max() < 0.01 * np.abs(wanted).max()
    capsys.readouterr()
    assert run_dynid(monkeypatch, *words) == 2
    assert "already exists" in capsys.readouterr().err


def test_a_narrow_band_and_a_missing_limit_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="make the band wider or the period longer"):
        multisine(0, highest_hz=4.0)
    robot = load_robot("scara_2r", overrides=["limits.velocity=null"])
    with pytest.raises(ConfigurationError, match=r"needs limits\.velocity"):
        propose_multisine(nominal_model(robot), 0, MultisineSpec())
    weak = load_robot("scara_2r", overrides=["limits.torque_max=0.01"])
    with pytest.raises(ExcitationError, match="the slow swing alone takes more"):
        propose_multisine(nominal_model(weak), 0, MultisineSpec(highest_hz=20.0))


def test_recordings_that_are_too_short_or_slow_are_refused() -> None:
    robot, recording = load_robot("scara_2r"), played(0)
    short = Recording.from_arrays(
        *(values[:9000] for values in (recording.time, recording.position, recording.effort)),
        joint_names=robot.joints,
    )
    with pytest.raises(RecordingError, match="record the whole motion"):
        harmonics_of(short, robot, multisine(0))
    slow = Recording.from_arrays(
        *(values[::10] for values in (recording.time, recording.position, recording.effort)),
        joint_names=robot.joints,
    )
    with pytest.raises(RecordingError, match="expected at least 240"):
        harmonics_of(slow, robot, multisine(0))


def test_the_multisine_of_another_motion_is_refused() -> None:
    robot = load_robot("scara_2r")
    other = propose_multisine(nominal_model(robot), 0, MultisineSpec(seed=7))
    with pytest.raises(RecordingError, match="moves at other frequencies"):
        harmonics_of(played(0), robot, other)


def test_another_excitation_is_no_multisine(tmp_path: Path) -> None:
    file = tmp_path / "motion.yaml"
    file.write_text("excitation: {type: fourier}\n")
    with pytest.raises(ConfigurationError, match="is no multisine"):
        read_multisine(file)


def test_the_command_prints_stiffness_and_draws_the_responses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [stored(played(joint, *ELASTIC), tmp_path / f"{joint}.npz") for joint in (0, 1)]
    waves, bode = tmp_path / "waves.yaml", tmp_path / "bode.png"
    waves.write_text(excitation_text(multisine(0), []))
    words = ["identify", "resonance", *files, "-p", "scara_2r"]
    assert run_dynid(monkeypatch, *words, "--multisine", waves, "-o", bode) == 0
    assert "torque not explained" in capsys.readouterr().out
    assert bode.stat().st_size > 10000
    assert run_dynid(monkeypatch, *words) == 2
    assert "are for --multisine" in capsys.readouterr().err


def test_links_without_masses_are_refused() -> None:
    robot = load_robot("scara_2r")
    model = nominal_model(robot)
    massless = replace(
        model, mechanism=model.mechanism.with_parameters(np.zeros(len(model.parameter_names)))
    )
    with pytest.raises(ConfigurationError, match="URDF with masses"):
        identify_arm(robot, [played(0)], multisine(0), model=massless)
