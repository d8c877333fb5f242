"""Simulated motion under recorded torques: a mass on a slide, pushed by a constant force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynid.errors import ConfigurationError, SimulationError
from dynid.signals.signals import Signals
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.torque_rollouts import torque_rollouts

pytest.importorskip("mujoco")
RATE, FORCE, STEP = 100.0, 1.0, 0.001  # [Hz], [N], [s]


def slide(mass: float) -> MujocoModel:
    text = f"""<mujoco><option gravity="0 0 0" timestep="{STEP}"/><worldbody><body>
      <joint name="s" type="slide" axis="1 0 0"/><geom size="0.1" mass="{mass}"/>
    </body></worldbody></mujoco>"""
    return MujocoModel(text, Path("slide.xml"))


def pushed(seconds: float) -> Signals:
    """A mass of 1 kg from rest."""
    time = np.arange(round(seconds * RATE) + 1) / RATE
    position, force = FORCE * time[:, None] ** 2 / 2, np.full((len(time), 1), FORCE)
    return Signals(
        joint_names=("s",),
        time=time,
        position=position,
        velocity=FORCE * time[:, None],
        acceleration=force,
        torque=force,
        raw_position=position,
        raw_torque=force,
        moving=np.ones((len(time), 1), dtype=bool),
        velocity_threshold=np.zeros(1),
        torque_per_effort=np.ones(1),
        effort_unit="N",
        sampling_rate=RATE,
    )


def test_windows_begin_in_the_recorded_state() -> None:
    found = torque_rollouts(slide(1.0), ("s",), pushed(3.0))
    assert found.position.shape == (3, 101, 1)
    np.testing.assert_array_equal(found.time[:, 0], [0, 1, 2])
    # of the integrator, semi-implicit
    assert np.abs(found.position - found.recorded).max() <= FORCE * STEP / 2 * 1.001


def test_errors_are_those_of_the_model() -> None:
    found = torque_rollouts(slide(2.0), ("s",), pushed(3.0))
    time = np.arange(101) / RATE
    expected = np.sqrt(np.mean((FORCE * time**2 / 4) ** 2))  # half the acceleration is missing
    assert found.error[0] == pytest.approx(expected, rel=3 * STEP)


def test_a_motion_that_diverges_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # MuJoCo would go on from its reference position, and write a file in the current folder
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SimulationError, match="MuJoCo stopped the simulation"):
        slide(1.0).simulate(("s",), np.zeros(1), np.zeros(1), np.full((9, 1), 1e14), 0.1)
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_recording_that_is_shorter_than_a_window() -> None:
    with pytest.raises(ConfigurationError, match="a window of 1 s needs 101"):
        torque_rollouts(slide(1.0), ("s",), pushed(0.5))
