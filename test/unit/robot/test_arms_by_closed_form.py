"""Arms from three makers: their kinematics by closed form."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.arrays import Array
from dynid.profile import load_robot


def origins(name: str, position: list[float]) -> dict[str, Array]:
    """Origins of a robot's links by joint at a position, in the base's frame [m]."""
    kinematics = load_robot(name).kinematics()
    poses = kinematics.poses(np.array([position]))[0]
    return dict(zip(kinematics.bodies, poses[:, :3], strict=True))


OPENARM_SHOULDER = 0.0625 + 0.06
"""Height of the shoulder's axes above the base [m]."""
OPENARM_UPPER, OPENARM_LOWER = 0.06625 + 0.15375, 0.0955 + 0.1205
"""From shoulder to elbow, and from elbow to wrist [m]."""


@pytest.mark.parametrize(("turn", "lift", "elbow"), [(0.0, 0.0, 0.0), (0.4, 1.2, 0.9), (2, -1, 2)])
def test_the_wrist_is_where_turn_lift_and_elbow_bring_it(
    turn: float, lift: float, elbow: float
) -> None:
    # the last three axes meet in the wrist, so they do not move it
    wrist = origins("openarm", [turn, lift, 0.0, elbow, 0.3, -0.5, 1.1])["joint7"]
    above = OPENARM_UPPER + OPENARM_LOWER * np.cos(elbow)
    forwards = OPENARM_LOWER * np.sin(elbow)
    # lift is about -x: it turns what is above to the left (y)
    plane = (forwards + 1j * above * np.sin(lift)) * np.exp(1j * turn)
    assert wrist[0] + 1j * wrist[1] == pytest.approx(plane, abs=1e-9)
    assert wrist[2] == pytest.approx(OPENARM_SHOULDER + above * np.cos(lift), abs=1e-9)


SO101_UPPER = complex(-0.11257, -0.028)
"""From the lift axis to the elbow, in the upper arm's plane [m]."""
SO101_LOWER = complex(-0.1349, 0.0052)
"""From the elbow to the wrist axis, in the lower arm's plane [m]."""


@pytest.mark.parametrize("elbow", [-1.5, -0.4, 0.0, 0.7, 1.6])
def test_the_elbow_decides_how_far_the_wrist_is_from_the_lift_axis(elbow: float) -> None:
    found = origins("so101", [0.6, -0.8, elbow, 0.3, 1.0, 0.2])
    apart = SO101_UPPER + SO101_LOWER * np.exp(1j * (np.pi / 2 + elbow))
    wrist = np.linalg.norm(found["wrist_flex"] - found["shoulder_lift"])
    assert wrist == pytest.approx(abs(apart), rel=1e-6)


@pytest.mark.parametrize("lift", [-1.2, 0.0, 0.9])
def test_the_wrist_moves_in_a_vertical_plane_that_pan_turns(lift: float) -> None:
    pan, elbow = 0.5, -0.3
    found = origins("so101", [pan, lift, elbow, 0.0, 0.0, 0.0])
    # the upper arm's x axis points down at zero, its y axis backwards; lift turns forwards
    reached = (SO101_UPPER + SO101_LOWER * np.exp(1j * (np.pi / 2 + elbow))) * np.exp(1j * lift)
    start, wrist = found["shoulder_lift"], found["wrist_flex"]
    assert start[2] == pytest.approx(0.0624 + 0.0542, abs=1e-7)
    assert wrist[2] - start[2] == pytest.approx(-reached.real, abs=1e-6)
    forwards = np.array([np.cos(pan), -np.sin(pan)])
    assert (wrist - start)[:2] @ forwards == pytest.approx(-reached.imag, abs=1e-6)


def test_pan_turns_about_a_vertical_axis_through_its_own_origin() -> None:
    at_zero, turned = origins("so101", [0.0] * 6), origins("so101", [np.pi / 2, 0, 0, 0, 0, 0])
    axis = np.array([0.0388353, 0.0])
    radius = np.linalg.norm(at_zero["shoulder_lift"][:2] - axis)
    assert radius == pytest.approx(np.hypot(0.0303992, 0.0182778), abs=1e-7)
    assert np.linalg.norm(turned["shoulder_lift"][:2] - axis) == pytest.approx(radius, abs=1e-7)
    assert turned["gripper"][2] == pytest.approx(at_zero["gripper"][2], abs=1e-7)


WIDOWX_UPPER, WIDOWX_LOWER = 0.264, complex(0.245, 0.06)
"""Upper arm, and lower arm along and across it [m]."""


@pytest.mark.parametrize(("lift", "elbow"), [(0.0, 0.0), (1.2, 0.4), (2.0, 2.1), (3.0, 1.0)])
def test_lift_and_elbow_move_the_wrist_in_a_vertical_plane(lift: float, elbow: float) -> None:
    pan = 0.7
    wrist = origins("widowx_ai", [pan, lift, elbow, 0.3, -0.2, 0.5])["joint_3"]
    # lift turns the upper arm from backwards to forwards, elbow the lower arm back up
    reached = -WIDOWX_UPPER * np.exp(-1j * lift) + WIDOWX_LOWER * np.exp(-1j * (lift - elbow))
    forwards = np.array([np.cos(pan), np.sin(pan)])
    assert wrist[:2] @ forwards == pytest.approx(0.02 + reached.real, abs=1e-9)
    assert wrist[2] == pytest.approx(0.05725 + 0.04625 + reached.imag, abs=1e-9)
