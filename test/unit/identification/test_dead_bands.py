"""The dead band of presliding friction against encoder noise, and contacts at rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import JOINTS, write_small_robot

from dynid.dynamics.joint_terms import TermSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.evaluation.at_rest import static_friction
from dynid.identification.dead_bands import with_dead_bands
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import validate
from dynid.profile import load_model, load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

RATE = 200.0
STOP = {"kind": "presliding", "scale": 2e-3}
PLAIN = [{"kind": kind} for kind in ("viscous", "offset", "rotor_inertia")]


def made_robot(folder: Path, *terms: dict[str, object], **changes: object) -> Robot:
    return load_robot(write_small_robot(folder, terms=[*PLAIN, *terms], **changes))


def recorded(position: np.ndarray, effort: np.ndarray | None = None) -> Recording:
    time = np.arange(len(position)) / RATE
    effort = 0.0 * position if effort is None else effort
    return Recording(time, position, effort, joint_names=JOINTS, sampling_rate=RATE)


def moved(step: float) -> np.ndarray:
    """Return 10 s of motion from rest, in steps of the position."""
    time = np.arange(2000)[:, None] / RATE
    motion = (1 - np.cos(np.array([3.1, 4.7]) * time)) * np.array([0.4, 0.3])
    return step * np.round(motion / step) if step else motion


def dead_bands(robot: Robot) -> list[float]:
    return [term.dead_band for term in robot.joint_terms() if term.kind == "presliding"]


def test_is_one_step_of_the_finest_recording(tmp_path: Path) -> None:
    robot = made_robot(tmp_path, STOP)
    found = with_dead_bands(robot, [recorded(moved(step)) for step in (1e-3, 2e-4)])
    assert dead_bands(found) == pytest.approx([1e-4, 1e-4], rel=1e-3)


def test_is_one_count_of_the_encoder_where_the_drive_gives_it(tmp_path: Path) -> None:
    drives = {"encoder_counts": [1e4, 2e4], "gear_ratio": [1, -1]}
    robot = made_robot(tmp_path, STOP, drives=drives)
    found = with_dead_bands(robot, [recorded(moved(0.0))])
    # joints with another count need another term
    assert dead_bands(found) == pytest.approx([np.pi / 1e4, np.pi / 2e4])
    assert [term.joint for term in found.joint_terms() if term.kind == "presliding"] == [0, 1]


def test_is_0_where_positions_have_no_steps(tmp_path: Path) -> None:
    assert dead_bands(with_dead_bands(made_robot(tmp_path, STOP), [recorded(moved(0.0))])) == [0, 0]


@pytest.mark.parametrize("given", [0.0, 5e-5])
def test_keeps_what_the_profile_gives(tmp_path: Path, given: float) -> None:
    robot = made_robot(tmp_path, STOP | {"dead_band": given})
    assert dead_bands(with_dead_bands(robot, [recorded(moved(1e-3))])) == [given, given]


def test_a_contact_without_dead_band_can_be_written_and_read(tmp_path: Path) -> None:
    term = TermSettings(kind="presliding", scale=1e-3, dead_band=0.0)
    assert term.entry()["dead_band"] == 0.0
    assert "dead_band" not in TermSettings(kind="presliding", scale=1e-3).entry()


def test_refuses_a_scale_below_the_step(tmp_path: Path) -> None:
    robot = made_robot(tmp_path, STOP | {"scale": 4e-4, "joints": ["elbow"]})
    assert with_dead_bands(robot, [recorded(moved(4e-4))]) is not None
    with pytest.raises(ConfigurationError, match="elbow has a scale of"):
        identify(robot, [recorded(moved(1e-3))])


def flickering(robot: Robot, samples: int = 1200) -> Recording:
    """Return a robot at rest whose positions alternate between two steps."""
    bit = np.random.default_rng(5).integers(0, 2, (samples, 2))
    position = np.array([0.3, -0.4]) + 1e-3 * bit
    effort = robot.mechanism().gravity_torque(np.repeat([[0.3, -0.4]], samples, axis=0))
    return recorded(position, effort)


@pytest.fixture(name="rubbing")
def made_rubbing(tmp_path: Path) -> tuple[Robot, Mechanism]:
    robot = made_robot(tmp_path, STOP | {"scale": 1e-3})
    values = {"Fh1": 5.0, "Fh2": 3.0}
    mechanism = robot.mechanism()
    parameters = np.array(mechanism.urdf_parameters)
    for name, value in values.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return robot, mechanism.with_parameters(parameters)


def test_a_flickering_bit_does_not_move_a_contact_of_unknown_history(
    rubbing: tuple[Robot, Mechanism],
) -> None:
    robot, mechanism = rubbing
    signals = preprocess(flickering(robot), robot)
    past = signals.past(mechanism)
    mechanism.advance(signals.position, signals.velocity, past)
    np.testing.assert_array_equal(past[:, 1], 0.0)  # deflections
    # without what the recording's steps tell, one bit moves it from end to end
    past = mechanism.new_past()
    mechanism.advance(signals.position, signals.velocity, past)
    assert np.all(np.abs(past[:, 1]) > 1e-4)


def test_at_rest_a_model_with_presliding_predicts_gravity(rubbing: tuple[Robot, Mechanism]) -> None:
    robot, mechanism = rubbing
    settings = robot.settings(IdentificationSettings).model_copy(update={"cutoff_hz": 15.0})
    robot = robot.with_settings(settings)
    signals = preprocess(flickering(robot), robot)
    torque = mechanism.torque(
        signals.position,
        0 * signals.velocity,
        0 * signals.position,
        mechanism.parameters,
        past=signals.past(mechanism),
    )
    gravity = mechanism.gravity_torque(signals.position)
    np.testing.assert_allclose(torque, gravity, atol=1e-9)


def test_the_dead_band_is_stored_with_the_model(tmp_path: Path) -> None:
    robot = made_robot(tmp_path, STOP)
    still = with_dead_bands(robot, [recorded(moved(1e-4))])
    true = still.mechanism()
    position = moved(0.0)
    velocity = np.gradient(position, 1 / RATE, axis=0)
    acceleration = np.gradient(velocity, 1 / RATE, axis=0)
    parameters = np.array(true.urdf_parameters)
    parameters[true.first_term :] = [1.5, 0.8, 0.1, 0.2, 0.3, 0.1, 2.0, 1.0]
    effort = true.torque(position, velocity, acceleration, parameters)
    noise = 0.05 * np.random.default_rng(2).normal(size=effort.shape)
    result = identify(robot, [recorded(moved(1e-4), effort + noise)])
    assert dead_bands(result.model.robot) == pytest.approx([5e-5, 5e-5], rel=1e-3)
    path = tmp_path / "model.yaml"
    result.model.save(path, force=True)
    stored = load_model(path)
    assert dead_bands(stored.robot) == dead_bands(result.model.robot)
    noise = np.random.default_rng(4).normal(size=(400, 2))
    at_rest = recorded(np.array([0.3, -0.4]) + 1e-6 * noise, noise)
    assert "undetermined within ±" in validate(stored, at_rest).notes[-1]


def test_at_rest_friction_leaves_the_torque_undetermined(rubbing: tuple[Robot, Mechanism]) -> None:
    _, mechanism = rubbing
    still = np.array([0.3, -0.4])
    np.testing.assert_allclose(static_friction(mechanism, still, 0.01 * np.ones(2)), [5.0, 3.0])
