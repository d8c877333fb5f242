"""Robots and wishes for the tests of optimised excitations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import parse
from dynid.excitation.design.design import Design, Wish
from dynid.excitation.design.search import Robot, design_for
from dynid.excitation.settings import FourierSettings
from dynid.profile import RobotProfile
from support.small_robot import PROFILE, URDF

if TYPE_CHECKING:
    from typing import Any

SETTINGS = FourierSettings(base_frequency=0.5, harmonics=4, periods=1, margin=0.9)
WISH = Wish(SETTINGS, objective="condition")


def small_robot(**limits: Any) -> Robot:
    """Return the robot of two joints, with other limits if need be."""
    content = PROFILE | {"limits": PROFILE["limits"] | limits}
    profile = parse(RobotProfile, content, "duo")
    parameters = profile.mechanism(URDF).parameters
    return Robot(profile, URDF, parameters, np.array([0.2, 0.1]))


def small_design(wish: Wish = WISH, **limits: Any) -> Design:
    """Return the problem that a wish makes for it."""
    return design_for(small_robot(**limits), wish)
