"""Collisions of a real robot: every push is found, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from support.real_recordings import UR10E, needs

from dynid.control.residual import recorded_residual
from dynid.control.tuning import tune
from dynid.dynamics.mechanism import Mechanism
from dynid.identification.identify import identify
from dynid.profile import RobotProfile, load_profile

if TYPE_CHECKING:
    from pathlib import Path

FREE = (
    "ur-20_02_12-50sec_12harm.csv",
    "ur-20_02_19_14harm50sec.csv",
    "ur-20_02_10-30sec_12harm.csv",
    "ur-20_01_31-unload.csv",
)
ONSETS = np.array([1.81, 4.58, 8.29, 11.83])  # [s] of the pushes

Robot = tuple[RobotProfile, str, Mechanism]


@pytest.fixture(scope="module")
def robot() -> Robot:
    """The UR10e with thresholds from the files that its model was identified from."""
    profile, urdf_xml = load_profile("ur10e")
    recordings = [profile.load_recording(UR10E / name) for name in FREE]
    mechanism = identify(profile, urdf_xml, recordings).mechanism
    residuals = [recorded_residual(profile, mechanism, one) for one in recordings]
    tuned = tune(profile, residuals, false_alarms_per_hour=0.1).settings()
    collision = profile.collision.model_copy(update=tuned)
    return profile.model_copy(update={"collision": collision}), urdf_xml, mechanism


def alarms(robot: Robot, path: Path) -> np.ndarray:
    """Return when a recording's torque errors would have stopped the robot [s]."""
    profile, _, mechanism = robot
    residual = recorded_residual(profile, mechanism, profile.load_recording(path))
    _, _, found = residual.watch(profile, control_rate=1000.0)
    return np.array([collision.cycle / residual.rate for collision in found])


@needs(UR10E)
def test_ur10e_every_push_is_found(robot: Robot) -> None:
    found = alarms(robot, UR10E / "ur-20_01_22-push_pose_1.csv")
    delays = [found[found >= onset][0] - onset for onset in ONSETS]
    assert max(delays) < 0.6
    assert np.median(delays) < 0.295  # of a 5 Hz residual with thresholds by hand


@needs(UR10E)
@pytest.mark.parametrize("name", ["ptp_10_points", "p1", "p2"])
def test_ur10e_free_motion_that_was_not_tuned_on_gives_no_alarm(robot: Robot, name: str) -> None:
    assert alarms(robot, UR10E / f"ur-20_01_17-{name}.csv").size == 0


@needs(UR10E)
def test_ur10e_profile_has_the_tuned_thresholds(robot: Robot) -> None:
    shipped = load_profile("ur10e")[0].collision
    assert shipped.torque_error_max == pytest.approx(robot[0].collision.torque_error_max, rel=0.1)
    assert shipped.reversal_boost == pytest.approx(robot[0].collision.reversal_boost, rel=0.1)
