"""URDFs that must not reach the C++ parsers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.urdf_text import check_urdf
from dynid.errors import MechanismError

R = 0.5**0.5


def joint(parent: str, child: str, inner: str = "", name: str = "j") -> str:
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<limit effort="1" velocity="1" lower="-1" upper="1"/>{inner}</joint>'
    )


def urdf(*inner: str, links: str = "ab") -> str:
    named = "".join(f'<link name="{link}"/>' for link in links)
    return f'<robot name="r">{named}{"".join(inner)}</robot>'


@pytest.mark.parametrize(
    ("inner", "sentence"),
    [
        (
            '<origin xyz="0 0 nan"/>',
            r'\'j\' has <origin xyz="0 0 nan"> \(line 1\), expected 3',
        ),
        ('<origin rpy="0 0 1e308"/>', "expected 3 finite numbers of at most 1e\\+09"),
        ('<origin xyz="0 0"/>', "expected 3 finite numbers"),
        ('<axis xyz="0 0 1_0"/>', "expected 3 finite numbers"),
        ('<axis xyz="0 0 -1e999"/>', "expected 3 finite numbers"),
        ('<mimic joint="j" multiplier="inf"/>', "expected a finite number"),
    ],
)
def test_refuses_numbers_out_of_range(inner: str, sentence: str) -> None:
    with pytest.raises(MechanismError, match=sentence):
        Mechanism(urdf(joint("a", "b", inner)), ["j"])


def test_refuses_a_mass_that_overflows() -> None:
    body = '<inertial><mass value="1e308"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
    text = urdf(joint("a", "b")).replace(
        '<link name="b"/>', f'<link name="b">{body}izz="1"/></inertial></link>'
    )
    with pytest.raises(MechanismError, match=r"link 'b' has <mass value=\"1e308\">"):
        Mechanism(text, ["j"])


@pytest.mark.parametrize(
    ("joints", "sentence"),
    [
        ([joint("a", "b"), joint("b", "a", name="k")], "is its own ancestor"),
        ([joint("a", "a")], "is its own ancestor"),
        ([joint("a", "b"), joint("c", "b", name="k")], "'b' is the child of two joints"),
    ],
)
def test_refuses_links_that_are_not_a_tree(joints: list[str], sentence: str) -> None:
    with pytest.raises(MechanismError, match=sentence):
        Mechanism(urdf(*joints, links="abc"), ["j"])


LIMITED = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
MASSIVE = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2"/><inertia ixx="1" '
    'ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>' + joint("a", "b") + "</robot>"
)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('<link name="a"/>', "", r"The URDF: joint 'j' \(line 4\) has the parent link 'a', which"),
        ('<link name="b"/>', "", r"'j' \(line 4\) has the child link 'b', which is not among"),
        (
            'name="b"/>',
            'name="a"/>',
            r"'a' \(line 3\) has the same name as the link in line 2",
        ),
        (
            '<link name="b"/>',
            '<link name="b"/>\n<link name="camera"/>',
            "'a' .* and link 'camera' ",
        ),
        (LIMITED, "", "'j' .* is revolute and has no <limit>; add one"),
        (' velocity="1"', "", "has a <limit> without velocity"),
        ('effort="1"', 'effort="${tau}"', r'has <limit effort="\$\{tau\}"> \(line 4\), expected'),
        ("revolute", "Revolute", "is of type 'Revolute', expected one of revolute"),
        ("revolute", "screw", "is of type 'screw'"),
        ('<robot name="r"', "<robot", "<robot> has no name"),
        ('<robot name="r"', '<robot name="r" version="2.0"', "has version '2.0'"),
        ("<limit", "<dynamics/><limit", "<dynamics> without damping and friction"),
        ("<limit", "<mimic/><limit", "<mimic> without the joint that it follows"),
        *(
            ("<limit", f'<axis xyz="{axis}"/><limit', "has no direction, expected a unit vector")
            for axis in ("0 0 0", "0 0 1e-9", "6e-17 0 -6e-17", "0.00001 0 0")
        ),
    ],
)
def test_names_line_and_cause_of_what_parsers_refuse(
    old: str, new: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    text = urdf(joint("a", "b")).replace("<link", "\n<link").replace("<joint", "\n<joint")
    assert text.count(old) == 1
    with pytest.raises(MechanismError, match=sentence):
        Mechanism(text.replace(old, new), ["j"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("old", "sentence"),
    [
        (' ixy="0"', "'b' .* has an <inertial> without ixy in <inertia>"),
        ('<mass value="2"/>', "'b' .* has an <inertial> without <mass value>"),
    ],
)
def test_refuses_an_inertial_that_parsers_would_leave_out(old: str, sentence: str) -> None:
    assert MASSIVE.count(old) == 1
    with pytest.raises(MechanismError, match=sentence):
        check_urdf(MASSIVE.replace(old, ""))


def test_two_joints_of_one_name_are_named_with_their_lines() -> None:
    joints = "\n" + joint("a", "b") + "\n" + joint("b", "c")
    with pytest.raises(MechanismError, match=r"joint 'j' \(line 3\) .* as the joint in line 2"):
        check_urdf(urdf(joints, links="abc"))


def test_a_fixed_joint_needs_neither_limit_nor_axis() -> None:
    fixed = '<joint name="f" type="fixed"><parent link="b"/><child link="c"/><axis xyz="0 0 0"/>'
    check_urdf(urdf(joint("a", "b"), f"{fixed}</joint>", links="abc"))


@pytest.mark.parametrize(
    "attribute",
    [' xmlns="https://drake.mit.edu"', ' xmlns:drake="https://drake.mit.edu"', ""],
    ids=["default", "bound", "unbound"],
)
def test_namespaces_and_prefixes_do_not_change_a_robot(attribute: str) -> None:
    text = MASSIVE.replace('name="r">', f'name="r"{attribute}><drake:collision_filter_group/>')
    mechanism, plain = (Mechanism(given, ["j"]) for given in (text, MASSIVE))
    assert mechanism.urdf_parameters.tolist() == plain.urdf_parameters.tolist()
    assert mechanism.urdf_parameters[0] == 2


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize(
    ("axis", "unit"),
    [("0 0 2", "0 0 1"), ("-3 0 4", "-0.6 0 0.8"), ("0 1e-4 0", "0 1 0"), ("1 1 0", f"{R} {R} 0")],
)
def test_the_length_of_an_axis_has_no_meaning(kind: str, axis: str, unit: str) -> None:
    robots = [
        Mechanism(
            MASSIVE.replace("<limit", f'<axis xyz="{xyz}"/><limit').replace("revolute", kind), "j"
        )
        for xyz in (axis, unit)
    ]
    states = np.random.default_rng(1).normal(size=(3, 5, 1))
    torque, expected = (robot.torque(*states, robot.urdf_parameters) for robot in robots)
    np.testing.assert_allclose(torque, expected, rtol=1e-12)


def test_refuses_more_links_than_a_robot_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_URDF_LINKS", "3")
    check_urdf(urdf(joint("a", "b"), joint("b", "c", name="k"), links="abc"))
    with pytest.raises(MechanismError, match="has 4 links, but at most 3 are allowed"):
        check_urdf(urdf(links="abcd"))


def test_a_chain_of_as_many_links_as_allowed_is_read() -> None:
    names = [f"l{i}" for i in range(500)]
    links = "".join(f'<link name="{name}"/>' for name in names)
    pairs = pairwise(names)
    joints = "".join(joint(one, other, name=f"j{other}") for one, other in pairs)
    assert Mechanism(f'<robot name="r">{links}{joints}</robot>', ["jl1"]).joints == ("jl1",)
