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
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings

if TYPE_CHECKING:
    from pathlib import Path

FREE = (
    "ur-20_02_12-50sec_12harm.csv",
    "ur-20_02_19_14harm50sec.csv",
    "ur-20_02_10-30sec_12harm.csv",
    "ur-20_01_31-unload.csv",
)
ONSETS = np.array([1.81, 4.58, 8.29, 11.83])  # [s] of the pushes

Identified = tuple[Robot, Mechanism]


@pytest.fixture(scope="module")
def identified() -> Identified:
    """The UR10e with thresholds from the files that its model was identified from."""
    robot = load_robot("ur10e")
    recordings = [load_recording(UR10E / name, robot) for name in FREE]
    mechanism = identify(robot, recordings).model.mechanism
    residuals = [recorded_residual(robot, mechanism, one) for one in recordings]
    tuned = tune(robot, residuals, false_alarms_per_hour=0.1).settings()
    collision = robot.settings(CollisionSettings).model_copy(update=tuned)
    return robot.with_settings(collision), mechanism


def alarms(identified: Identified, path: Path) -> np.ndarray:
    """Return when a recording's torque errors would have stopped the robot [s]."""
    robot, mechanism = identified
    residual = recorded_residual(robot, mechanism, load_recording(path, robot))
    _, _, found = residual.watch(robot)
    return np.array([collision.cycle / residual.rate for collision in found])


@needs(UR10E)
def test_ur10e_every_push_is_found(identified: Identified) -> None:
    found = alarms(identified, UR10E / "ur-20_01_22-push_pose_1.csv")
    delays = [found[found >= onset][0] - onset for onset in ONSETS]
    assert max(delays) < 0.6
    assert np.median(delays) < 0.295  # of a 5 Hz residual with thresholds by hand


@needs(UR10E)
@pytest.mark.parametrize("name", ["ptp_10_points", "p1", "p2"])
def test_ur10e_free_motion_that_was_not_tuned_on_gives_no_alarm(
    identified: Identified, name: str
) -> None:
    assert alarms(identified, UR10E / f"ur-20_01_17-{name}.csv").size == 0


@needs(UR10E)
def test_ur10e_profile_has_the_tuned_thresholds(identified: Identified) -> None:
    shipped = load_robot("ur10e").settings(CollisionSettings)
    tuned = identified[0].settings(CollisionSettings)
    assert shipped.torque_error_max == pytest.approx(tuned.torque_error_max, rel=0.1)
    assert shipped.reversal_boost == pytest.approx(tuned.reversal_boost, rel=0.1)
