"""Regions of links on which contacts are expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dynid.control.wrench.contacts import contact_regions
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot

if TYPE_CHECKING:
    from dynid.arrays import Array

SAMPLES = 200_000
SHAPES = {
    "box": '<box size="0.2 0.3 0.5"/>',
    "cylinder": '<cylinder radius="0.1" length="0.6"/>',
    "sphere": '<sphere radius="0.2"/>',
}


def one_body(shape: str) -> Kinematics:
    visual = (
        f'<visual><origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 0.6"/><geometry>{shape}</geometry>'
        "</visual>"
    )
    urdf = (
        f'<robot name="one"><link name="base"/><link name="arm">{visual}</link>'
        '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        "</robot>"
    )
    return Kinematics(Mechanism(urdf, ["turn"]))


def surface(kind: str) -> tuple[Array, Array]:
    """Return random points of a surface and their normals, in the shape's frame (N, 3)."""
    random = np.random.default_rng(1)
    if kind == "sphere":
        normal = random.normal(size=(SAMPLES, 3))
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        return 0.2 * normal, normal
    if kind == "cylinder":
        angle = random.uniform(0, 2 * np.pi, SAMPLES)
        around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SAMPLES)])
        side = random.random(SAMPLES) < 0.6 / (0.6 + 0.1)  # 2 pi r l of 2 pi r (l + r)
        end = np.where(random.random(SAMPLES) < 0.5, 1.0, -1.0)
        radius = np.where(side, 0.1, 0.1 * np.sqrt(random.random(SAMPLES)))
        height = np.where(side, random.uniform(-0.3, 0.3, SAMPLES), 0.3 * end)
        points = radius[:, None] * around + height[:, None] * np.eye(3)[2]
        return points, np.where(side[:, None], around, end[:, None] * np.eye(3)[2])
    size = np.array([0.2, 0.3, 0.5])
    area = size.prod() / size
    axis = random.choice(3, SAMPLES, p=area / area.sum())
    end = np.where(random.random(SAMPLES) < 0.5, 1.0, -1.0)
    normal = end[:, None] * np.eye(3)[axis]
    points = random.uniform(-0.5, 0.5, (SAMPLES, 3)) * size
    rows = np.arange(SAMPLES)
    points[rows, axis] = end * size[axis] / 2
    return points, normal


@pytest.mark.parametrize("kind", SHAPES)
def test_moments_are_those_of_random_points_and_normals(kind: str) -> None:
    kinematics = one_body(SHAPES[kind])
    (region,) = contact_regions(kinematics)
    assert (region.link, region.joint) == ("arm", "turn")
    points, normals = surface(kind)
    turn = np.array(rotation(0.4, 0.5, 0.6))
    points, normals = points @ turn.T + [0.1, -0.2, 0.3], normals @ turn.T
    # four standard errors of these means of at most 0.1 m^2 are below 1e-3
    assert region.centre == pytest.approx(points.mean(axis=0), abs=2e-3)
    centred = points - region.centre
    assert region.covariance == pytest.approx(centred.T @ centred / SAMPLES, abs=5e-4)
    wrenches = np.column_stack([normals, np.cross(centred, normals)])
    expected = wrenches.T @ wrenches / SAMPLES
    weights = np.array([weight for weight, _ in region.kinds[1:]])
    normal = np.sum([weight * wrench for weight, wrench in region.kinds[1:]], axis=0)
    assert normal / weights.sum() == pytest.approx(expected, abs=5e-3)
    directions = np.random.default_rng(2).normal(size=(SAMPLES, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    any_wrench = np.column_stack([directions, np.cross(centred, directions)])
    assert region.kinds[0][1] == pytest.approx(any_wrench.T @ any_wrench / SAMPLES, abs=5e-3)


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    def about(axis: int, angle: float) -> Array:
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        found = np.eye(3)
        found[i, i] = found[j, j] = np.cos(angle)
        found[j, i], found[i, j] = np.sin(angle), -np.sin(angle)
        return found

    return np.asarray(about(2, yaw) @ about(1, pitch) @ about(0, roll))


def test_weights_of_kinds_are_half_for_any_direction() -> None:
    (region,) = contact_regions(one_body(SHAPES["box"]))
    weights = [weight for weight, _ in region.kinds]
    assert weights[0] == 0.5
    assert sum(weights) == pytest.approx(1.0)


def test_links_behind_locked_joints_belong_to_the_body_that_carries_them() -> None:
    urdf = (
        '<robot name="two"><link name="base"/><link name="arm"/>'
        '<link name="finger"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
        '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        '<joint name="grip" type="prismatic"><parent link="arm"/><child link="finger"/>'
        '<origin xyz="1 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1"'
        ' velocity="1"/></joint></robot>'
    )
    mechanism = Mechanism(urdf, ["turn"], locked={"grip": 0.5})
    (region,) = contact_regions(Kinematics(mechanism))
    assert region.link == "arm"
    assert region.centre[0] > 0.5, "the finger, 1.5 m away, is part of it"


@pytest.mark.parametrize("name", ["panda", "scara", "delta_3", "dvrk_psm"])
def test_every_moving_body_of_a_shipped_robot_has_a_region(name: str) -> None:
    kinematics = load_robot(name).kinematics()
    regions = contact_regions(kinematics)
    assert tuple(one.joint for one in regions) == kinematics.mechanism.moving_joints
    assert len({one.link for one in regions}) == len(regions)
    for one in regions:
        assert np.linalg.eigvalsh(one.covariance).min() >= -1e-12
        assert np.trace(one.covariance) > 0
