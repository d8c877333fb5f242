"""Slacks of the workspace in a search, which leaves out distances that are surely far."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from support.walled_arm import walled

from dynid.excitation.design.series_space import WorkspaceLimit
from dynid.excitation.motion import Motion, central_difference
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot

BOX = {"low": [-0.5, -0.5, 0.0], "high": [0.7, 0.5, 0.6]}
STEP = 1e-4
TOLERANCE = 0.2  # of slopes: distances are exact to 1e-6 m, and so slacks to some 2e-5


def of_robot(name: str, *overrides: str) -> Workspace:
    robot = load_robot(name, overrides=overrides)
    return Workspace(robot, robot.mechanism())


ON_A_SLIDE = walled(self_collision=True, tool_box=BOX, tool_speed=1.0)


@pytest.mark.parametrize("workspace", [of_robot("puma560"), ON_A_SLIDE], ids=["puma560", "slide"])
def test_slacks_below_one_are_the_same_as_without_an_earlier_motion(workspace: Workspace) -> None:
    used = WorkspaceLimit(workspace)
    random = np.random.default_rng(0)
    position = random.uniform(-1.0, 1.0, (30, len(workspace.kinematics.moving_bodies)))
    bounded = 0
    for size in (0.0, 1e-3, 1e-2, 0.1, 1.0):
        position = position + size * random.uniform(-1.0, 1.0, position.shape)
        motion = Motion(position, 0 * position, 0 * position)
        found, exact = used.slack(motion), WorkspaceLimit(workspace).slack(motion)
        np.testing.assert_array_equal(found < 1, exact < 1)
        np.testing.assert_array_equal(found[found < 1], exact[exact < 1])
        assert np.all(found <= exact)
        bounded += np.count_nonzero(found < exact)
    assert bounded


@pytest.mark.parametrize(
    ("workspace", "centre"),
    [
        (ON_A_SLIDE, [0.1, 0.4, -0.7, 0.5]),
        (of_robot("delta_3", "workspace.tool_speed=2"), [0.2, 0.1, 0.0]),
    ],
    ids=["tree", "closed chain"],
)
def test_slopes_of_selected_slacks_are_those_of_finite_differences(
    workspace: Workspace, centre: list[float]
) -> None:
    random, joints = np.random.default_rng(0), len(centre)
    states = random.uniform(-0.1, 0.1, (3, 5, joints))
    states[0] += centre
    near = random.random((5, len(workspace.names))) < 0.5
    slopes = WorkspaceLimit(workspace).slopes(Motion(*states), near)
    assert slopes.shape == (np.count_nonzero(near), 3, joints)
    for order, joint in product(range(3), range(joints)):
        expected = central_difference(
            lambda motion: WorkspaceLimit(workspace).slack(motion),
            Motion(*states),
            order,
            joint,
            STEP,
        )[near]
        np.testing.assert_allclose(slopes[:, order, joint], expected, atol=TOLERANCE)
