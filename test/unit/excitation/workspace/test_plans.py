"""No motion is planned, and no way to its start is taken, that leaves the workspace."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import SINE

from dynid.errors import ExcitationError, PlaybackError
from dynid.excitation.checks import check_reachable
from dynid.playback.motions import point_to_point
from dynid.playback.plan import Plan, make_plan
from dynid.profile import load_robot


def planned(*workspace: str) -> Plan:
    robot = load_robot("puma560", overrides=[f"workspace.{one}" for one in workspace])
    return make_plan(robot.with_settings(SINE))


def test_a_plan_is_made_where_the_workspace_is_kept() -> None:
    plan = planned("self_collision=true", "tool_speed=2", "planes.floor={point: [0, 0, -0.2]}")
    assert "tool speed" in plan.workspace.names


def test_a_plan_that_is_too_fast_for_the_tool_is_refused() -> None:
    with pytest.raises(ExcitationError, match=r"tool: speed reaches .* its limit of 0\.1 m/s"):
        planned("tool_speed=0.1")


def test_a_way_to_the_start_through_a_box_is_refused() -> None:
    free = planned()
    home = free.start + np.array([-1.5, 0, 0, 0, 0, 0])
    kinematics = free.robot.kinematics()
    (half_way,) = kinematics.tool_path([(home + free.start) / 2])
    low, high = (half_way - 0.02).tolist(), (half_way + 0.02).tolist()
    plan = planned(f"boxes.post={{low: {low}, high: {high}}}")
    way = point_to_point(home, plan.start, plan.robot.limits, 0.3)
    with pytest.raises(PlaybackError, match=r"start cannot be reached.*box 'post': distance"):
        check_reachable(way, plan.robot.limits, plan.mechanism, plan.workspace)
