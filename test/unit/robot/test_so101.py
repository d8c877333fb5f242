"""The SO-101 arm: its kinematics by closed form."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.arrays import Array
from dynid.profile import load_robot

UPPER = complex(-0.11257, -0.028)
"""From the lift axis to the elbow, in the upper arm's plane [m]."""
LOWER = complex(-0.1349, 0.0052)
"""From the elbow to the wrist axis, in the lower arm's plane [m]."""


def origins(position: list[float]) -> dict[str, Array]:
    """Origins of the links at a position, in the base's frame [m]."""
    kinematics = load_robot("so101").kinematics()
    poses = kinematics.poses(np.array([position]))[0]
    return dict(zip(kinematics.bodies, poses[:, :3], strict=True))


@pytest.mark.parametrize("elbow", [-1.5, -0.4, 0.0, 0.7, 1.6])
def test_the_elbow_decides_how_far_the_wrist_is_from_the_lift_axis(elbow: float) -> None:
    found = origins([0.6, -0.8, elbow, 0.3, 1.0, 0.2])
    apart = UPPER + LOWER * np.exp(1j * (np.pi / 2 + elbow))
    wrist = np.linalg.norm(found["wrist_flex"] - found["shoulder_lift"])
    assert wrist == pytest.approx(abs(apart), rel=1e-6)


@pytest.mark.parametrize("lift", [-1.2, 0.0, 0.9])
def test_the_wrist_moves_in_a_vertical_plane_that_pan_turns(lift: float) -> None:
    pan, elbow = 0.5, -0.3
    found = origins([pan, lift, elbow, 0.0, 0.0, 0.0])
    # the upper arm's x axis points down at zero, its y axis backwards; lift turns forwards
    reached = (UPPER + LOWER * np.exp(1j * (np.pi / 2 + elbow))) * np.exp(1j * lift)
    start, wrist = found["shoulder_lift"], found["wrist_flex"]
    assert start[2] == pytest.approx(0.0624 + 0.0542, abs=1e-7)
    assert wrist[2] - start[2] == pytest.approx(-reached.real, abs=1e-6)
    forwards = np.array([np.cos(pan), -np.sin(pan)])
    assert (wrist - start)[:2] @ forwards == pytest.approx(-reached.imag, abs=1e-6)


def test_pan_turns_about_a_vertical_axis_through_its_own_origin() -> None:
    at_zero, turned = origins([0.0] * 6), origins([np.pi / 2, 0, 0, 0, 0, 0])
    axis = np.array([0.0388353, 0.0])
    radius = np.linalg.norm(at_zero["shoulder_lift"][:2] - axis)
    assert radius == pytest.approx(np.hypot(0.0303992, 0.0182778), abs=1e-7)
    assert np.linalg.norm(turned["shoulder_lift"][:2] - axis) == pytest.approx(radius, abs=1e-7)
    assert turned["gripper"][2] == pytest.approx(at_zero["gripper"][2], abs=1e-7)
