"""Limits of a robot are those of each joint, infinite where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import ConfigurationError
from dynid.robot.limits import Limits


def test_one_limit_stands_for_every_joint_and_an_absent_one_is_infinite() -> None:
    bounds = Limits(position=((-1.0, 2.0),), velocity=(3.0, 4.0)).of_joints(2)
    np.testing.assert_array_equal(bounds.low, [-1.0, -1.0])
    np.testing.assert_array_equal(bounds.velocity, [3.0, 4.0])
    np.testing.assert_array_equal([bounds.acceleration, bounds.torque], np.full((2, 2), np.inf))
    free = Limits().of_joints(2)
    np.testing.assert_array_equal(free.middle, [0.0, 0.0])
    np.testing.assert_array_equal(free.half, [np.inf, np.inf])


def test_a_fraction_of_the_positions_is_about_their_middle() -> None:
    bounds = Limits(position=((-1.0, 3.0),), torque_max=(10.0,)).of_joints(1).within(0.5)
    assert (bounds.low[0], bounds.high[0], bounds.torque[0]) == (0.0, 2.0, 5.0)


@pytest.mark.parametrize("name", ["position", "velocity", "torque_max"])
def test_a_wrong_number_of_limits_is_refused(name: str) -> None:
    value = ((-1.0, 1.0),) * 2 if name == "position" else (1.0, 1.0)
    with pytest.raises(ConfigurationError, match=f"'{name}' has 2 values, expected 1 or 3"):
        Limits(**{name: value}).of_joints(3)
