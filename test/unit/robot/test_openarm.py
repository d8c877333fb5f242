"""The OpenArm: its kinematics by closed form."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.profile import load_robot

SHOULDER = 0.0625 + 0.06
"""Height of the shoulder's axes above the base [m]."""
UPPER, LOWER = 0.06625 + 0.15375, 0.0955 + 0.1205
"""From shoulder to elbow, and from elbow to wrist [m]."""


@pytest.mark.parametrize(("turn", "lift", "elbow"), [(0.0, 0.0, 0.0), (0.4, 1.2, 0.9), (2, -1, 2)])
def test_the_wrist_is_where_turn_lift_and_elbow_bring_it(
    turn: float, lift: float, elbow: float
) -> None:
    kinematics = load_robot("openarm").kinematics()
    # the last three axes meet in the wrist, so they do not move it
    poses = kinematics.poses(np.array([[turn, lift, 0.0, elbow, 0.3, -0.5, 1.1]]))[0]
    wrist = poses[kinematics.bodies.index("joint7"), :3]
    above = UPPER + LOWER * np.cos(elbow)
    forwards = LOWER * np.sin(elbow)
    # lift is about -x: it turns what is above to the left (y)
    plane = (forwards + 1j * above * np.sin(lift)) * np.exp(1j * turn)
    assert wrist[0] + 1j * wrist[1] == pytest.approx(plane, abs=1e-9)
    assert wrist[2] == pytest.approx(SHOULDER + above * np.cos(lift), abs=1e-9)
