"""Pairs that are checked by default, pairs that are left out, and the notes on them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.walled_arm import BALL, URDF, walled

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.checks import kept_sentence, unchecked
from dynid.excitation.settings import SineSettings
from dynid.excitation.workspace.pairs import ADJACENT, TOUCHING, LeftOut
from dynid.excitation.workspace.workspace import Workspace
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot, make_robot

FLOOR = "collisions with floor or table not checked: no plane under `workspace.planes`"
BARE = re.sub("<collision>.*?</collision>", "", URDF, flags=re.DOTALL)


def by_default(urdf: str = URDF, **workspace: object) -> Workspace:
    """As for a profile without settings of self-collision."""
    return walled(urdf, self_collision=None, **workspace)


def srdf(tmp_path: Path, *entries: str) -> str:
    path = tmp_path / "walled.srdf"
    path.write_text(f'<robot name="walled">{"".join(entries)}</robot>')
    return str(path)


def disabled(first: str, second: str, reason: str = "User") -> str:
    return f'<disable_collisions link1="{first}" link2="{second}" reason="{reason}"/>'


def test_bodies_are_kept_apart_by_default_where_the_urdf_has_shapes() -> None:
    assert by_default().pairs == walled(self_collision=True).pairs
    assert ("hand", "upper") in by_default().pairs


@pytest.mark.parametrize(
    ("workspace", "sentence"),
    [
        (by_default(BARE), "self-collision not checked: the URDF has no readable shapes"),
        (
            walled(self_collision=False),
            "self-collision not checked: `workspace.self_collision` is false",
        ),
        (by_default(), "shape of carriage not checked: capsules are used"),
    ],
    ids=["no shapes", "switched off", "a body without shape"],
)
def test_a_missing_check_of_bodies_is_named(workspace: Workspace, sentence: str) -> None:
    assert workspace.unchecked[0].startswith(sentence)


def test_adjacent_bodies_are_listed() -> None:
    workspace = by_default()
    assert LeftOut(("hand", "lower"), ADJACENT) in workspace.left_out
    assert not {one.pair for one in workspace.left_out} & set(workspace.pairs)


def test_bodies_that_always_touch_are_named_until_the_profile_allows_them() -> None:
    fat = URDF.replace('<sphere radius="0.04"/>', '<sphere radius="0.9"/>', 1)
    found = by_default(fat)
    assert LeftOut(("lower", "base"), TOUCHING) in found.left_out
    assert "lower to base" not in found.names
    assert any("(in contact" in note and "lower to base" in note for note in found.notes)
    assert any("lower and base" in one for one in found.unchecked)
    allowed = by_default(fat, allowed_pairs=[["base", "lower"], ["base", "upper"]])
    assert LeftOut(("lower", "base"), "allowed_pairs") in allowed.left_out
    assert not any("lower and base" in one for one in allowed.unchecked)


def test_bodies_that_are_apart_in_few_positions_are_checked() -> None:
    # apart only where the arm is almost stretched, in less than one position of fifty
    fat = URDF.replace('<sphere radius="0.04"/>', '<sphere radius="0.76"/>', 1)
    workspace = by_default(fat)
    tip = np.array([[0.5, 0.0, 0.0, 0.0]])
    full = workspace._full(tip)
    number = workspace.pairs.index(("hand", "base"))
    assert workspace._distances.at(full)[0, number] > 0


def test_the_same_pairs_are_found_every_time() -> None:
    assert by_default().left_out == by_default().left_out
    robot = load_robot("delta_4")
    first, second = (Workspace(robot, robot.mechanism()) for _ in range(2))
    assert first.left_out == second.left_out


def test_links_that_an_srdf_disables_are_left_out_unless_they_were_never_seen_to_touch(
    tmp_path: Path,
) -> None:
    never = by_default(srdf=srdf(tmp_path, disabled("upper", "hand", "Never")))
    assert ("hand", "upper") in never.pairs
    workspace = by_default(srdf=srdf(tmp_path, disabled("upper", "hand", "User")))
    assert ("hand", "upper") not in workspace.pairs
    assert LeftOut(("hand", "upper"), "SRDF: User") in workspace.left_out
    assert any("SRDF" in note and "hand to upper" in note for note in workspace.notes)


def test_an_allowed_link_does_not_excuse_another_link_of_its_body(tmp_path: Path) -> None:
    # the tip is fixed to the hand, and has a ball of its own
    urdf = URDF.replace('<link name="tip"/>', f'<link name="tip">{BALL}</link>')
    workspace = by_default(urdf, srdf=srdf(tmp_path, disabled("upper", "hand")))
    assert ("hand", "upper") in workspace.pairs
    assert LeftOut(("hand", "upper"), "SRDF: User") in workspace.left_out


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no such file"),
        ("<robot", "is not well-formed XML"),
        ("<launch/>", "its root is <launch>"),
        ('<robot><disable_collisions link1="a"/></robot>', "lacks its link1 or link2"),
        (f"<robot>{disabled('a', 'b')}</robot>", "no pair of its <disable_collisions> has links"),
    ],
)
def test_an_unusable_srdf_is_refused(tmp_path, content, sentence) -> None:
    path = tmp_path / "walled.srdf"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigurationError, match=sentence):
        by_default(srdf=str(path))


def test_an_allowed_pair_names_links_of_the_urdf() -> None:
    with pytest.raises(ConfigurationError, match="the URDF has no link 'hnad'; it has base, "):
        by_default(allowed_pairs=[["hnad", "base"]])


def test_a_profile_finds_its_srdf_beside_it(tmp_path: Path) -> None:
    srdf(tmp_path, disabled("upper", "hand"))
    (tmp_path / "walled.urdf").write_text(URDF)
    profile = tmp_path / "walled.yaml"
    profile.write_text(
        "robot: walled\nurdf: walled.urdf\njoints: [slide, shoulder, elbow, wrist]\nterms: []\n"
        "workspace: {srdf: walled.srdf}\n"
    )
    robot = load_robot(str(profile))
    assert ("hand", "upper") not in Workspace(robot, robot.mechanism()).pairs


def test_an_unknown_floor_is_named_and_an_excluded_one_is_not() -> None:
    assert FLOOR in by_default().unchecked
    assert FLOOR not in by_default(planes="none").unchecked
    assert FLOOR not in by_default(planes={"floor": {"point": [0.0, 0.0, -1.0]}}).unchecked


def test_a_motion_is_called_safe_only_where_nothing_is_left_open() -> None:
    robot = load_robot("scara")
    workspace = Workspace(robot, robot.mechanism())
    assert unchecked(robot.limits, workspace) == ()
    assert kept_sentence(()) == "Safe: every limit is kept."
    without = robot.limits.model_copy(update={"velocity": None})
    (open_,) = unchecked(without, workspace)
    assert kept_sentence((open_,)) == "Limits kept; velocity not checked: no `limits.velocity`."
    plan = make_plan(load_robot("puma560"))
    assert plan.unchecked == (FLOOR,)
    assert plan.verdict == f"Limits kept; {FLOOR}."


def test_a_motion_into_the_robots_own_body_is_refused_without_any_settings() -> None:
    # level with the base, the upper arm turns back over it
    fold = SineSettings(
        start=(-0.2, 0.0, 0.0, 0.0), target=(-0.2, 3.0, 0.0, 0.0), frequency=0.2, duration=5.0
    )
    robot = make_robot(
        {
            "robot": "walled",
            "urdf": "walled.urdf",
            "joints": ["slide", "shoulder", "elbow", "wrist"],
            "limits": {"position": None},
            "terms": [],
        },
        URDF,
    )
    with pytest.raises(ExcitationError, match=r"to base: distance reaches"):
        make_plan(robot.with_settings(fold))


def test_a_second_motion_is_one_that_keeps_clear_of_the_robot_itself() -> None:
    # of the motions after the fifth, the next one brings the flange into the pedestal
    robot = load_robot("puma560_static", overrides=["excitation.seed=5"])
    with pytest.raises(ExcitationError, match="link_6 to base_link"):
        make_plan(robot, seed=6)
    seed = second_seed(robot)
    assert seed > 6
    make_plan(robot, seed=seed)


@pytest.mark.parametrize("name", ["ur10", "ur10e", "tx40", "puma560", "palletiser", "yumi_arm"])
def test_shipped_profiles_leave_only_floor_and_unknown_limits_open(name: str) -> None:
    robot = load_robot(name)
    workspace = Workspace(robot, robot.mechanism())
    assert not any("touch in every sampled" in one for one in workspace.unchecked)
