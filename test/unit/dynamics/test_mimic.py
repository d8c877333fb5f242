"""A joint that follows another one is modelled as such, or refused with a remedy."""

from __future__ import annotations

import numpy as np
import pytest
from support.walled_arm import URDF

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError

ELBOW = '<joint name="wrist" type="revolute">'


def mimicking(leader: str = "elbow", more: str = "") -> str:
    """Return the walled arm with a wrist that follows another joint."""
    return URDF.replace(ELBOW, f'{ELBOW}<mimic joint="{leader}" {more}/>')


def test_a_follower_with_a_drive_is_refused() -> None:
    with pytest.raises(MechanismError, match=r"'wrist' is in 'joints'.* it follows joint 'elbow'"):
        Mechanism(mimicking(), ["slide", "shoulder", "elbow", "wrist"])


def test_a_follower_that_would_be_locked_with_a_moving_leader_is_refused() -> None:
    with pytest.raises(MechanismError, match=r"'wrist' follows.*closed_chain\.passive"):
        Mechanism(mimicking(), ["slide", "shoulder", "elbow"])


def test_the_refusal_is_one_sentence() -> None:
    with pytest.raises(MechanismError) as refusal:
        Mechanism(mimicking(), ["slide", "shoulder", "elbow"])
    assert str(refusal.value).count(". ") == 0
    assert str(refusal.value).endswith(".")


def test_an_explicitly_locked_follower_is_locked() -> None:
    joints, state = ["slide", "shoulder", "elbow"], np.ones((3, 1, 3))
    locked = Mechanism(mimicking(), joints, locked={"wrist": 0.3})
    plain = Mechanism(URDF, joints, locked={"wrist": 0.3})
    ours, theirs = (one.torque(*state, one.parameters) for one in (locked, plain))
    np.testing.assert_array_equal(ours, theirs)


def test_a_follower_of_a_locked_joint_has_the_matching_position() -> None:
    urdf = mimicking(more='multiplier="-2" offset="0.1"')
    with pytest.raises(MechanismError, match=r"set locked\.wrist to -0\.5"):
        Mechanism(urdf, ["slide", "shoulder"], locked={"elbow": 0.3})
    Mechanism(urdf, ["slide", "shoulder"], locked={"elbow": 0.3, "wrist": -0.5})


def test_a_follower_of_a_follower_of_a_moving_joint_is_refused() -> None:
    urdf = mimicking().replace(
        '<joint name="elbow" type="revolute">',
        '<joint name="elbow" type="revolute"><mimic joint="shoulder"/>',
    )
    with pytest.raises(MechanismError, match="follows joint 'shoulder'"):
        Mechanism(urdf, ["slide", "shoulder"], locked={"elbow": 0.0})


@pytest.mark.parametrize(
    ("urdf", "sentence"),
    [
        (mimicking("ankle"), "'wrist' follows joint 'ankle'"),
        (mimicking("wrist"), "must be another joint"),
        (mimicking(more='multiplier="two"'), '<mimic multiplier="two"> .*expected a finite number'),
    ],
)
def test_an_invalid_mimic_is_refused(urdf: str, sentence: str) -> None:
    with pytest.raises(MechanismError, match=sentence):
        Mechanism(urdf, ["slide", "shoulder", "elbow"], locked={"wrist": 0.0})


def test_followers_that_follow_each_other_do_not_hang() -> None:
    urdf = mimicking().replace(
        '<joint name="elbow" type="revolute">',
        '<joint name="elbow" type="revolute"><mimic joint="wrist"/>',
    )
    Mechanism(urdf, ["slide", "shoulder"])
