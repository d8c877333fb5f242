"""Margins against distances computed by hand, for spheres, capsules, planes and boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.walled_arm import BOX, JOINTS, RADIUS, URDF, WALL, points, walled, walled_robot

from dynid.excitation.motion import Motion
from dynid.excitation.workspace.pairs import UNMOVED, LeftOut
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot
from dynid.robot.limits import Limits

LONG_NORMAL = {"wall": WALL["wall"] | {"normal": [0.0, -2.0, 0.0]}}

POSITIONS = st.tuples(
    st.floats(-0.5, 0.5), st.floats(-3, 3), st.floats(-2.6, 2.6), st.floats(-2, 2)
).map(np.array)


def at(workspace: Workspace, position: np.ndarray) -> dict[str, float]:
    rest = np.zeros((1, 4))
    margins = workspace.margins(Motion(position[np.newaxis], rest, rest))[0]
    return dict(zip(workspace.names, margins.tolist(), strict=True))


def to_segment(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    along = end - start
    share = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(point - start - share * along))


def between_segments(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    """By brute force: the distance to one segment is convex along the other."""
    low, high = 0.0, 1.0
    for _ in range(100):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        nearer = to_segment(a + first * (b - a), c, d) < to_segment(a + second * (b - a), c, d)
        low, high = (low, second) if nearer else (first, high)
    return to_segment(a + low * (b - a), c, d)


SELF = walled(self_collision=True, clearance=0.01)
CROSSED = walled(
    URDF.replace('<parent link="upper"/>', '<parent link="base"/>'), self_collision=True
)
WALLED = walled(planes=LONG_NORMAL, boxes=BOX)


@given(POSITIONS)
def test_bodies_of_spheres_and_capsules_are_as_far_apart_as_segments_less_radii(position) -> None:
    p = points(position)
    base = np.zeros(3)
    expected = {
        "lower to base": to_segment(base, p["elbow"], p["wrist"]) - 2 * RADIUS,
        "hand to base": np.linalg.norm(p["tip"] - base) - 2 * RADIUS,
        "hand to upper": to_segment(p["tip"], p["shoulder"], p["elbow"]) - 2 * RADIUS,
    }
    margins = at(SELF, position)
    for name, distance in expected.items():
        if distance > 0:  # deep inside, capsules are parted sideways
            assert margins[name] == pytest.approx(distance - 0.01, abs=1e-5)
        else:
            assert margins[name] <= -0.01 + 1e-5


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-0.5, 0.5))
def test_two_capsules_are_as_far_apart_as_their_segments_less_radii(first, other, height) -> None:
    a, c = np.array([0.1, 0.0, 0.2 + height]), np.array([0.4, 0.0, 0.0])
    b = a + 0.4 * np.array([np.cos(first), np.sin(first), 0.0])
    d = c + 0.3 * np.array([np.cos(other), np.sin(other), 0.0])
    margin = at(CROSSED, np.array([height, first, other, 0.0]))["upper to lower"]
    distance = between_segments(a, b, c, d) - 2 * RADIUS
    assert margin == pytest.approx(distance, abs=1e-4) or (distance < 0 and margin < 0)


@given(POSITIONS)
def test_a_plane_is_as_far_from_a_body_as_its_nearest_point(position) -> None:
    p = points(position)
    margins = at(WALLED, position)
    for name, ends in (("upper", ("shoulder", "elbow")), ("lower", ("elbow", "wrist"))):
        nearest = 0.5 - max(p[end][1] for end in ends) - RADIUS
        assert margins[f"{name} to plane 'wall'"] == pytest.approx(nearest, abs=1e-9)
    assert margins["hand to plane 'wall'"] == pytest.approx(0.5 - p["tip"][1] - RADIUS, abs=1e-9)


@given(POSITIONS)
def test_a_box_is_as_far_from_a_ball_as_its_nearest_point(position) -> None:
    tip = points(position)["tip"]
    outside = np.maximum(np.array([0.3, -0.2, -0.1]) - tip, tip - np.array([0.6, 0.2, 0.1]))
    beyond = float(np.linalg.norm(np.maximum(outside, 0.0)))
    signed = beyond if beyond > 0 else float(outside.max())
    assert at(WALLED, position)["hand to box 'bin'"] == pytest.approx(signed - RADIUS, abs=1e-6)


@given(POSITIONS)
def test_the_tool_box_is_left_where_the_tool_point_leaves_it(position) -> None:
    workspace = walled(tool_box={"low": [-0.5, -0.5, 0.0], "high": [0.7, 0.5, 0.6]})
    tip = points(position)["tip"]
    inside = min(*(tip - [-0.5, -0.5, 0.0]), *([0.7, 0.5, 0.6] - tip))
    assert at(workspace, position)["tool to tool_box"] == pytest.approx(inside, abs=1e-12)


@pytest.mark.parametrize("name", ["puma560", "delta_3"])
def test_the_tool_speed_is_the_change_of_the_tool_s_place(name: str) -> None:
    robot = load_robot(name, overrides=["workspace.tool_speed=1"])
    workspace = Workspace(robot, robot.mechanism())
    random = np.random.default_rng(0)
    q, dq = random.uniform(-0.3, 0.3, (2, 20, len(robot.joints)))
    kinematics, step = robot.kinematics(), 1e-5
    moved = kinematics.tool_path(q + step * dq) - kinematics.tool_path(q - step * dq)
    speed = np.linalg.norm(moved, axis=1) / (2 * step)
    margins = workspace.margins(Motion(q, dq, np.zeros_like(q)))
    np.testing.assert_allclose(1 - margins[:, -1], speed, atol=1e-7)


def test_without_settings_nothing_is_checked() -> None:
    workspace = walled()
    assert workspace.names == ()
    assert workspace.scale.shape == (0,)
    assert workspace.margins(Motion(*np.zeros((3, 7, 4)))).shape == (7, 0)


def test_adjacent_bodies_are_not_checked() -> None:
    assert set(SELF.names) == {
        "upper to base",
        "lower to base",
        "hand to base",
        "hand to upper",
        # of a body without any shape a capsule takes the place
        "lower to carriage",
        "hand to carriage",
    }
    assert any(
        note == "Generated capsules, because the URDF has no shapes: carriage."
        for note in SELF.notes
    )


def test_what_stays_on_the_base_does_not_count_against_a_plane() -> None:
    names = walled(planes={"below": {"point": [0.0, 0.0, 0.5]}}).names
    assert not any(name.startswith("base") for name in names)


def test_a_distance_that_no_motion_changes_is_left_out_with_a_note() -> None:
    # the shoulder's own capsule, level and turning about the vertical, but the slide is held
    held = {"joints": JOINTS[1:], "locked": {"slide": 0.0}, "limits": Limits()}
    robot = walled_robot(planes={"shelf": {"point": [0.0, 0.0, 0.3]}}).model_copy(update=held)
    workspace = Workspace(robot, robot.mechanism())
    assert LeftOut(("upper", "plane 'shelf'"), UNMOVED) in workspace.left_out
    assert any(
        note.startswith("Not checked (no motion changes the distance): ")
        for note in workspace.notes
    )
    assert workspace.names == ("hand to plane 'shelf'",)
