"""Robots and specs for the tests of optimised excitations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.excitation.design.design import Design, ExcitationSpec, make_design
from dynid.excitation.settings import FourierSettings
from dynid.profile import make_robot
from dynid.robot.model import Model, nominal_model
from support.small_robot import ROBOT, URDF

if TYPE_CHECKING:
    from typing import Any

SETTINGS = FourierSettings(base_frequency=0.5, harmonics=4, periods=1, margin=0.9)
SPEC = ExcitationSpec(SETTINGS, objective="condition")
NOISE = np.array([0.2, 0.1])


def small_model(**limits: Any) -> Model:
    """Return the model of the robot of two joints, with other limits if need be."""
    content = ROBOT | {"limits": ROBOT["limits"] | limits}
    return nominal_model(make_robot(content, URDF))


def small_design(spec: ExcitationSpec = SPEC, **limits: Any) -> Design:
    """Return the problem that a spec makes for it."""
    return make_design(small_model(**limits), spec, NOISE)
