"""The WidowX AI arm: its kinematics by closed form."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.profile import load_robot

UPPER, LOWER = 0.264, complex(0.245, 0.06)
"""Upper arm, and lower arm along and across it [m]."""


@pytest.mark.parametrize(("lift", "elbow"), [(0.0, 0.0), (1.2, 0.4), (2.0, 2.1), (3.0, 1.0)])
def test_lift_and_elbow_move_the_wrist_in_a_vertical_plane(lift: float, elbow: float) -> None:
    pan = 0.7
    kinematics = load_robot("widowx_ai").kinematics()
    poses = kinematics.poses(np.array([[pan, lift, elbow, 0.3, -0.2, 0.5]]))[0]
    wrist = poses[kinematics.bodies.index("joint_3"), :3]
    # lift turns the upper arm from backwards to forwards, elbow the lower arm back up
    reached = -UPPER * np.exp(-1j * lift) + LOWER * np.exp(-1j * (lift - elbow))
    forwards = np.array([np.cos(pan), np.sin(pan)])
    assert wrist[:2] @ forwards == pytest.approx(0.02 + reached.real, abs=1e-9)
    assert wrist[2] == pytest.approx(0.05725 + 0.04625 + reached.imag, abs=1e-9)
