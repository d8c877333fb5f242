"""Slacks of the workspace in a search, which leaves out distances that are surely far."""

from __future__ import annotations

import numpy as np

from dynid.excitation.design.limits import WorkspaceLimit
from dynid.excitation.motion import Motion
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot


def test_slacks_below_one_are_the_same_as_without_an_earlier_motion() -> None:
    robot = load_robot("puma560")
    workspace = Workspace(robot, robot.mechanism())
    used = WorkspaceLimit(workspace)
    random = np.random.default_rng(0)
    position = random.uniform(-1.0, 1.0, (30, 6))
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
