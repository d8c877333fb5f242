"""A motion that is accepted keeps its workspace between samples too; one that does not is found."""

from __future__ import annotations

import numpy as np
import pytest
from support.walled_arm import JOINTS, LIMITS, walled

from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings, SineSettings, find_excitation
from dynid.excitation.workspace.proof import RESERVE, _first_samples, workspace_uses
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot
from dynid.robot.limits import Limits


def random_motion(seed: int):
    settings = FourierSettings(
        base_frequency=0.25, harmonics=1 + seed % 4, periods=1, ramp=0.8, seed=seed
    )
    return build_excitation(settings, LIMITS, JOINTS)


def swing(target: float):
    """The shoulder alone swings once from 0 to an angle [rad] and back."""
    settings = SineSettings(
        start=(0.0, 0.0, 0.0, 0.0),
        target=(0.0, target, 0.0, 0.0),
        frequency=0.5,
        duration=2.0,
        ramp=1.0,
    )
    return build_excitation(settings, Limits(), JOINTS)


def densely(workspace: Workspace, motion) -> tuple[np.ndarray, np.ndarray]:
    time = np.linspace(0.0, motion.duration, 10 * len(_first_samples(motion)))
    return time, workspace.margins(motion.evaluate(time))


# the tip's ball is at y = 0.95 sin(angle), of radius 0.04
def wall_at(distance: float, **more: object) -> Workspace:
    planes = {"wall": {"point": [0.0, distance, 0.0], "normal": [0.0, -1.0, 0.0]}}
    return walled(planes=planes, **more)


def test_a_motion_up_to_a_wall_is_accepted_with_its_distance() -> None:
    reaches = 0.95 * np.sin(0.8) + 0.04
    (use,) = (
        use for use in workspace_uses(swing(0.8), wall_at(reaches + 0.01)) if "hand" in use.of
    )
    assert use.passed is None
    assert use.most.value == pytest.approx(0.01, abs=1e-4)


def test_a_violation_between_two_samples_is_found() -> None:
    motion = swing(0.8)
    time = _first_samples(motion)
    peak = time[np.argmax(motion.evaluate(time).position[:, 1])]
    # moved off the grid: the first samples see the wall at more than it takes
    workspace = wall_at(0.95 * np.sin(0.8) + 0.04 - 0.001)
    seen = workspace.margins(motion.evaluate(time[np.abs(time - peak) > 0.04]))
    assert seen.min() > 0
    broken = [use for use in workspace_uses(motion, workspace) if use.passed is not None]
    assert [use.of for use in broken] == ["hand to plane 'wall'"]
    assert broken[0].passed == pytest.approx(peak, abs=0.1)


def test_the_start_of_the_first_violation_is_exact_to_a_millisecond() -> None:
    motion, workspace = swing(0.8), wall_at(0.5)
    time = np.linspace(0.0, motion.duration, 40_001)
    margins = workspace.margins(motion.evaluate(time))
    begins = time[np.argmax((margins < RESERVE * workspace.scale).any(axis=1))]
    first = min(use.passed for use in workspace_uses(motion, workspace) if use.passed is not None)
    assert 0 <= first - begins <= 1.5e-3


@pytest.mark.parametrize("seed", range(10))
def test_what_is_accepted_keeps_all_at_ten_times_finer_sampling(seed: int) -> None:
    motion, free = random_motion(seed), wall_at(9.0, tool_speed=9.0)
    _, margins = densely(free, motion)
    least = dict(zip(free.names, margins.min(axis=0), strict=True))
    wall = max(9 - least[name] for name in free.names if "wall" in name)
    # about as tight as can be, and a little too tight
    for room, accepted in ((0.004, True), (-0.002, False)):
        workspace = wall_at(wall + room, tool_speed=9 - least["tool speed"] + 3 * room)
        uses = workspace_uses(motion, workspace)
        assert all(use.passed is None for use in uses) == accepted
        worst = densely(workspace, motion)[1].min()
        assert (worst >= 0) == accepted


def test_the_reported_least_distance_is_nearly_exact() -> None:
    motion, workspace = random_motion(3), walled(self_collision=True)
    _, margins = densely(workspace, motion)
    for use, least in zip(workspace_uses(motion, workspace), margins.min(axis=0), strict=True):
        assert least - 1e-6 <= use.most.value <= 1.3 * least


def test_a_closed_chain_is_checked_too() -> None:
    robot = load_robot("delta_3", overrides=["workspace.planes.floor={point: [0, 0, -0.9]}"])
    mechanism = robot.mechanism()
    motion = build_excitation(find_excitation(robot), robot.limits, robot.joints)
    workspace = Workspace(robot, mechanism)
    time = np.linspace(0.0, motion.duration, 20_000)
    margins = workspace.margins(motion.evaluate(time))
    lowest = dict(zip(workspace.names, margins.min(axis=0), strict=True))
    for use in workspace_uses(motion, workspace):
        assert (use.passed is None) == (lowest[use.of] >= RESERVE * workspace.scale[0])


def test_a_motion_along_a_plane_at_a_small_distance_is_proven() -> None:
    motion = swing(0.8)
    workspace = walled(planes={"floor": {"point": [0.0, 0.0, 0.15]}})
    uses = {use.of: use for use in workspace_uses(motion, workspace)}
    assert uses["upper to plane 'floor'"].passed is None
    assert uses["upper to plane 'floor'"].most.value == pytest.approx(0.01)
