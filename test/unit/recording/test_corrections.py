"""Corrections of recorded data: each signal, their order, and what is refused."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.synthetic import ARM_URDF, arm_robot, swinging

import dynid
from dynid import cli
from dynid.configuration import parse
from dynid.errors import ConfigurationError, RecordingError
from dynid.profile import make_robot
from dynid.recording.corrections import Correction, corrected, correction_yaml
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings
from dynid.recording.temperature import Temperature

RATE = 200.0
JOINTS = ("shoulder", "elbow", "wrist")


def swung(samples: int = 1000, **changes: object) -> Recording:
    q, dq, ddq = swinging(samples, 3, RATE)
    recording = Recording(
        time=np.arange(samples) / RATE,
        position=q,
        velocity=dq,
        effort=3.0 * ddq + dq,
        joint_names=JOINTS,
        sampling_rate=RATE,
    )
    return replace(recording, **changes)


def correction(**keys: object) -> Correction:
    return parse(Correction, keys, "recording.corrections")


def test_no_correction_returns_the_recording_itself() -> None:
    recording = swung()
    assert corrected(recording, []) is recording


@pytest.mark.parametrize("signal", ["position", "velocity", "effort"])
def test_a_factor_is_of_one_joint_and_noted(signal: str) -> None:
    recording = swung()
    after = corrected(recording, [correction(signal=signal, joint="elbow", factor=-2.0)])
    for name in ("position", "velocity", "effort"):
        factors = [1.0, -2.0 if name == signal else 1.0, 1.0]
        assert np.array_equal(getattr(after, name), getattr(recording, name) * factors)
    (note,) = after.repairs
    assert note == f"The {signal} of elbow was multiplied by -2 (recording.corrections)."


def test_a_correction_without_joint_is_of_all_joints() -> None:
    recording = swung()
    after = corrected(recording, [correction(signal="velocity", factor=0.5)])
    assert np.array_equal(after.velocity, 0.5 * recording.velocity)


def test_an_offset_is_added_after_the_factor_and_the_step_is_scaled() -> None:
    recording = swung(position_step=np.array([0.1, 0.2, 0.3]))
    after = corrected(
        recording, [correction(signal="position", joint="wrist", factor=-2.0, offset=1.0)]
    )
    assert np.allclose(after.position[:, 2], 1.0 - 2.0 * recording.position[:, 2], rtol=1e-15)
    assert np.allclose(after.position_step, [0.1, 0.2, 0.6])


def test_two_sources_swap_two_channels() -> None:
    recording = swung()
    swap = [
        correction(signal="effort", joint="shoulder", source="wrist"),
        correction(signal="effort", joint="wrist", source="shoulder", factor=2.0),
    ]
    after = corrected(recording, swap)
    expected = recording.effort[:, [2, 1, 0]] * [1, 1, 2]
    assert np.array_equal(after.effort, expected)
    assert np.array_equal(corrected(recording, swap[::-1]).effort, expected)


def test_a_delay_of_whole_samples_is_exact_and_cuts_all_signals() -> None:
    recording = swung()
    late = replace(recording, velocity=np.roll(recording.velocity, 7, axis=0))
    after = corrected(late, [correction(signal="velocity", delay=7 / RATE)])
    assert len(after.time) == 993
    assert after.time[0] == 0.0
    for name in ("position", "velocity", "effort"):
        assert np.array_equal(getattr(after, name), getattr(recording, name)[:993])


def test_a_negative_delay_cuts_the_beginning() -> None:
    recording = swung()
    after = corrected(recording, [correction(signal="effort", joint="elbow", delay=-4 / RATE)])
    assert np.array_equal(after.effort[:, 1], recording.effort[:-4, 1])
    assert np.array_equal(after.position, recording.position[4:])


def test_a_delay_between_samples_is_interpolated() -> None:
    recording = swung()
    at = swinging(1000, 3, RATE)[0]
    after = corrected(recording, [correction(signal="position", joint="elbow", delay=0.4 / RATE)])
    fine = swinging(5000, 3, 5 * RATE)[0][2::5][: len(after.time)]
    assert np.abs(after.position[:, 1] - fine[:, 1]).max() < 1e-6 * np.ptp(at[:, 1])


def test_delays_spread_missing_samples_and_gaps() -> None:
    missing = np.zeros(1000, dtype=bool)
    missing[500:520] = True
    recording = swung(missing=missing, gaps=((500, 520),))
    after = corrected(recording, [correction(signal="velocity", delay=10 / RATE)])
    assert after.gaps == ((490, 520),)
    assert after.missing is not None
    assert np.flatnonzero(after.missing).tolist() == list(range(490, 520))


def test_times_are_scaled_with_those_of_temperatures() -> None:
    recording = swung(temperature=Temperature(np.array([0.0, 2.0]), np.full((2, 3), 30.0)))
    after = corrected(recording, [correction(signal="time", factor=0.5)])
    assert after.sampling_rate == 2 * RATE
    assert after.duration == pytest.approx(recording.duration / 2)
    assert after.temperature is not None
    assert after.temperature.time[-1] == 1.0


@pytest.mark.parametrize("period", [2 * np.pi, 360.0])
def test_unwrapping_restores_the_turns(period: float) -> None:
    turning = np.linspace(0, 5.5 * period, 1000) + 0.02 * period * swinging(1000, 1, RATE)[0][:, 0]
    position = swung().position.copy()
    position[:, 0] = (turning + period / 2) % period - period / 2
    after = corrected(swung(position=position), [correction(signal="position", unwrap=True)])
    restored = after.position[:, 0]
    assert np.allclose(restored - restored[0], turning - turning[0], atol=1e-9 * period)
    assert np.array_equal(after.position[:, 1:], position[:, 1:])


def test_unwrapping_goes_before_the_factor() -> None:
    position = swung().position.copy()
    turning = np.linspace(0, 1000.0, 1000)
    position[:, 0] = turning % 360.0
    after = corrected(
        swung(position=position),
        [correction(signal="position", joint="shoulder", unwrap=True, factor=np.pi / 180)],
    )
    assert np.allclose(after.position[:, 0], np.radians(turning), atol=1e-9)


def test_an_unwrapped_position_of_a_loaded_bag_has_no_smeared_jumps(tmp_path: Path) -> None:
    """Uneven stamps are resampled, which would spread a jump over several samples."""
    random = np.random.default_rng(1)
    times = np.cumsum(random.uniform(0.004, 0.006, 2000))
    turning = np.column_stack([1.5 * times + k * np.sin(3 * times) / 4 for k in (1, 2, 3)])
    path = tmp_path / "wrapped.npz"
    np.savez(
        path,
        time=times,
        position=(turning + np.pi) % (2 * np.pi) - np.pi,
        effort=np.sin(times)[:, None] + np.zeros(3),
        joint_names=np.array(JOINTS),
    )
    robot = robot_with([{"signal": "position", "unwrap": True}])
    recording = dynid.load_recording(path, robot)
    assert np.abs(np.diff(recording.position, 2, axis=0)).max() < 1e-3
    assert sum("unwrapped" in note for note in recording.repairs) == 3


def robot_with(corrections: list[dict[str, object]]) -> dynid.Robot:
    content = arm_robot().yaml_content(exclude_unset=True)
    return make_robot(content | {"recording": {"corrections": corrections}}, ARM_URDF)


def saved(path: Path, recording: Recording) -> Path:
    np.savez(
        path,
        time=recording.time,
        position=recording.position,
        velocity=recording.velocity,
        effort=recording.effort,
        joint_names=np.array(recording.joint_names),
    )
    return path


def test_a_profile_corrects_what_is_loaded_once(tmp_path: Path) -> None:
    recording = swung()
    path = saved(tmp_path / "swung.npz", recording)
    robot = robot_with([{"signal": "velocity", "joint": "elbow", "factor": -1}])
    loaded = dynid.load_recording(path, robot)
    assert np.allclose(loaded.velocity, recording.velocity * [1, -1, 1])
    assert sum("velocity of elbow" in note for note in loaded.repairs) == 1


def test_the_requested_rate_is_that_of_the_corrected_times(tmp_path: Path) -> None:
    path = saved(tmp_path / "swung.npz", swung())
    robot = robot_with([{"signal": "time", "factor": 0.5}])
    settings = robot.settings(RecordingSettings).model_copy(update={"sampling_rate": 100.0})
    loaded = dynid.load_recording(path, robot.with_settings(settings))
    assert loaded.sampling_rate == pytest.approx(100.0)
    assert loaded.duration == pytest.approx(999 / RATE / 2, abs=0.01)


def test_a_recording_without_velocity_says_that_it_has_none_to_correct() -> None:
    after = corrected(swung(velocity=None), [correction(signal="velocity", factor=2.0)])
    assert after.velocity is None
    assert "cannot be corrected" in after.repairs[0]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"signal": "torque"}, "'position', 'velocity', 'effort' or 'time'"),
        ({"signal": "velocity", "factor": float("nan")}, "finite"),
        ({"signal": "velocity", "factor": float("inf")}, "finite"),
        ({"signal": "velocity", "delay": float("inf")}, "finite"),
        ({"signal": "velocity", "factor": 0}, "must not be 0"),
        ({"signal": "velocity", "offset": 1.0}, "offset does not apply to velocity"),
        ({"signal": "effort", "unwrap": True}, "unwrap does not apply to effort"),
        ({"signal": "time", "joint": "elbow", "factor": 2}, "joint does not apply to time"),
        ({"signal": "time", "factor": -2}, "must be positive"),
        ({"signal": "effort", "source": "elbow"}, "source 'elbow' needs the joint"),
        ({"signal": "effort", "joint": "elbow", "source": "elbow"}, "must be another joint"),
        ({"signal": "effort", "gain": 2}, "unknown key"),
    ],
)
def test_a_wrong_entry_is_refused_in_one_sentence(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        robot_with([keys])
    assert str(caught.value).count("\n") == 0
    assert "recording.corrections" in str(caught.value)


@pytest.mark.parametrize("key", ["joint", "source"])
def test_an_unknown_joint_is_refused_with_the_known_ones(key: str) -> None:
    keys = {"signal": "effort", "joint": "wrist", key: "tail"}
    with pytest.raises(ConfigurationError, match=f"{key} 'tail'.*shoulder, elbow, wrist"):
        corrected(swung(), [correction(**keys)])


def test_two_sources_of_one_channel_are_refused() -> None:
    several = [correction(signal="effort", joint="wrist", source=source) for source in JOINTS[:2]]
    with pytest.raises(ConfigurationError, match="two sources, shoulder and elbow"):
        corrected(swung(), several)


def test_a_delay_longer_than_the_recording_is_refused() -> None:
    with pytest.raises(RecordingError, match="leave 0 samples"):
        corrected(swung(), [correction(signal="effort", delay=6.0)])


def test_the_line_for_a_profile_is_read_back_as_the_same_corrections() -> None:
    corrections = [
        correction(signal="velocity", joint="elbow", factor=-1),
        correction(signal="position", joint="wrist", unwrap=True),
        correction(signal="effort", joint="shoulder", source="wrist", delay=0.0123),
    ]
    line = correction_yaml(corrections)
    assert "\n" not in line
    key, text = line.split(": ", 1)
    assert key == "recording.corrections"
    robot = robot_with(yaml.safe_load(text))
    assert list(robot.settings(RecordingSettings).corrections) == corrections


def test_info_names_a_contradiction_and_applies_the_corrections_of_a_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = swung(samples=3000)
    assert recording.velocity is not None
    flipped = replace(recording, velocity=recording.velocity * [1, -1, 1])
    path = saved(tmp_path / "flipped.npz", flipped)
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    profile = {"robot": "arm", "urdf": "arm.urdf", "joints": list(JOINTS)}
    corrections = [{"signal": "velocity", "joint": "elbow", "factor": -1}]
    for name, settings in (("plain", {}), ("right", {"recording": {"corrections": corrections}})):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(profile | settings))
    told = {}
    for name in ("plain", "right"):
        arguments = ["dynid", "info", str(path), "-p", str(tmp_path / f"{name}.yaml"), "--json"]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code in (0, None)
        told[name] = json.loads(capsys.readouterr().out)
    (contradiction,) = told["plain"]["contradictions"]
    assert (contradiction["kind"], contradiction["joints"]) == ("velocity", ["elbow"])
    assert contradiction["corrections"] == [
        {"signal": "velocity", "joint": "elbow", "factor": -1.0}
    ]
    assert told["right"]["contradictions"] == []
    assert any("velocity of elbow" in note for note in told["right"]["repairs"])
