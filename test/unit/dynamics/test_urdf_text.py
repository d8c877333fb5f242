"""URDFs that must not reach the C++ parsers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.urdf_text import check_urdf
from dynid.errors import MechanismError


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
        ('<origin xyz="0 0 nan"/>', r'joint \'j\' has <origin xyz="0 0 nan">, expected 3 finite'),
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


def test_refuses_more_links_than_a_robot_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_URDF_LINKS", "3")
    check_urdf(urdf(links="abc"))
    with pytest.raises(MechanismError, match="has 4 links, but at most 3 are allowed"):
        check_urdf(urdf(links="abcd"))


def test_a_chain_of_as_many_links_as_allowed_is_read() -> None:
    names = [f"l{i}" for i in range(500)]
    links = "".join(f'<link name="{name}"/>' for name in names)
    pairs = pairwise(names)
    joints = "".join(joint(one, other, name=f"j{other}") for one, other in pairs)
    assert Mechanism(f'<robot name="r">{links}{joints}</robot>', ["jl1"]).joints == ("jl1",)
