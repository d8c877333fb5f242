"""Resonances from torque and motor velocity: two masses that are simulated exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.command_line import run_dynid
from support.representatives import representatives
from support.stored_recording import stored

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid_plugins.elastic.resonance import JointResonance, identify_resonances
from dynid_plugins.elastic.two_masses import two_mass_response

ROTOR, LINK, STIFFNESS, DAMPING, VISCOUS = 0.5, 1.5, 5000.0, 8.0, 2.0
RATE = 500.0


Response = Callable[[np.ndarray], np.ndarray]


def two_masses(frequency: np.ndarray) -> np.ndarray:
    return two_mass_response(frequency, np.log([ROTOR, VISCOUS, LINK, STIFFNESS, DAMPING]))


def multisine(
    highest_hz: float, seed: int = 1, spacing_hz: float = 0.1, response: Response = two_masses
) -> Recording:
    """Noisy recording of the periodic response to a multisine up to a frequency."""
    time = np.arange(20000) / RATE
    random = np.random.default_rng(seed)
    lines = np.arange(0.5, highest_hz, spacing_hz)
    phases = random.uniform(0, 2 * np.pi, len(lines))
    waves = np.exp(1j * (2 * np.pi * np.outer(time, lines) + phases))
    position = (waves @ (response(lines) / (2j * np.pi * lines))).real
    measured = position + 1e-7 * random.standard_normal(len(time))
    torque = waves.real.sum(axis=1) + 0.1 * random.standard_normal(len(time))
    return Recording.from_arrays(time, measured, torque, joint_names=["joint_1"])


def resonance(highest_hz: float, *settings: str) -> JointResonance:
    robot = load_robot("pendulum", overrides=settings)
    (joint,) = identify_resonances(robot, multisine(highest_hz)).joints
    return joint


def test_frequencies_and_stiffness_are_found_where_both_are_excited() -> None:
    joint = resonance(100.0)
    locked = np.sqrt(STIFFNESS / LINK) / (2 * np.pi)
    free = np.sqrt(STIFFNESS / LINK + STIFFNESS / ROTOR) / (2 * np.pi)
    assert joint.separable == "all"
    for found, true in ((joint.locked, locked), (joint.free, free)):
        assert abs(found.value - true) < 4 * found.deviation < 0.02 * true
    for name, true in (("rotor", ROTOR), ("link", LINK), ("stiffness", STIFFNESS)):
        quantity = joint.quantity(name)
        assert abs(quantity.value - true) < 4 * quantity.deviation < 0.02 * true


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_both_are_found_whatever_the_phases_of_the_excitation(seed: int) -> None:
    recording = multisine(100.0, seed, spacing_hz=0.2)
    (joint,) = identify_resonances(load_robot("pendulum"), recording).joints
    stiffness = joint.quantity("stiffness")
    assert abs(stiffness.value - STIFFNESS) < 3 * stiffness.deviation < 0.02 * STIFFNESS


@pytest.mark.thorough
def test_a_known_rotor_sets_the_scale() -> None:
    joint = resonance(100.0, f"elastic.rotor_inertia={2 * ROTOR}")
    stiffness = joint.quantity("stiffness")
    assert stiffness.value == pytest.approx(2 * STIFFNESS, rel=0.01)


def test_without_excitation_beyond_the_antiresonance_masses_are_not_separated() -> None:
    joint = resonance(12.0)
    assert joint.separable != "all"
    assert joint.quantity("stiffness") is None


def rigid(frequency: np.ndarray) -> np.ndarray:
    return 1 / (2 * np.pi * 2j * frequency * (ROTOR + LINK) + VISCOUS)


RIGID: dict[str, Response] = {
    "rigid": rigid,
    "late torque": lambda f: rigid(f) * np.exp(-2j * np.pi * f * 0.006),
    "torque behind a low-pass": lambda f: rigid(f) * (1 + 1j * f / 25.0),
    "balanced by a spring": lambda f: 1 / (1 / rigid(f) + 30.0 / (2j * np.pi * f)),
}


@pytest.mark.parametrize("seed", representatives([0, 1, 2], 1))
@pytest.mark.parametrize("name", RIGID)
def test_no_resonance_is_named_at_a_joint_that_does_not_bend(name: str, seed: int) -> None:
    recording = multisine(60.0, seed, response=RIGID[name])
    (joint,) = identify_resonances(load_robot("pendulum"), recording).joints
    assert joint.separable == "none"


def test_a_joint_is_judged_by_the_span_in_which_it_alone_is_excited() -> None:
    """The others move a little, as the arm throws them about, and their torque goes with it."""
    runs = multisine(100.0), multisine(60.0, 2, response=rigid)
    shares = [1.0, 0.02, *4 * [0.0]], [0.02, 1.0, *4 * [0.0]]
    position, effort = (
        np.concatenate(
            [getattr(run, name) * share for run, share in zip(runs, shares, strict=True)]
        )
        for name in ("position", "effort")
    )
    robot = load_robot("puma560")
    time = np.arange(len(position)) / RATE
    recording = Recording.from_arrays(time, position, effort, joint_names=robot.joints)
    found = identify_resonances(robot, recording)
    assert [joint.separable for joint in found.joints] == ["all", "none"]
    assert not found.joints[1].fit.bends
    assert found.silent == robot.joints[2:]


def test_a_short_recording_of_many_joints_is_refused_for_its_length() -> None:
    robot = load_robot("puma560")
    random = np.random.default_rng(0)
    values = random.standard_normal((2, 300, len(robot.joints)))
    short = Recording.from_arrays(np.arange(300) / RATE, *values, joint_names=robot.joints)
    with pytest.raises(RecordingError, match=r"300 samples are too few.* at least 384"):
        identify_resonances(robot, short)


def test_motion_that_torque_does_not_cause_is_refused() -> None:
    random = np.random.default_rng(0)
    time = np.arange(5000) / RATE
    noise = Recording.from_arrays(
        time, random.standard_normal(5000), random.standard_normal(5000), joint_names=["joint_1"]
    )
    with pytest.raises(RecordingError, match="follows from its torque coherently"):
        identify_resonances(load_robot("pendulum"), noise)


def test_the_command_prints_the_table_and_writes_the_diagram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = stored(multisine(100.0), tmp_path / "multisine.npz")
    command = ("identify", "resonance", recording, "-p", "pendulum")
    assert run_dynid(monkeypatch, *command, "-o", tmp_path / "bode.png") == 0
    assert "stiffness" in capsys.readouterr().out
    assert (tmp_path / "bode.png").read_bytes().startswith(b"\x89PNG")
    for wrong in (tmp_path / "missing" / "bode.png", tmp_path / "bode.svg"):
        assert run_dynid(monkeypatch, *command, "-o", wrong) == 2
        said = capsys.readouterr().err
        assert wrong.name in said or "missing" in said
        assert not wrong.exists()
