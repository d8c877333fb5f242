"""Wrong models under control, without thresholds: they are noticed, and right ones are not."""

from functools import cache

import numpy as np
import pytest
from collision_trials import Work
from support.representatives import representatives
from wrong_models import models, noticed_after

from dynid import _core
from dynid.control.tracking.trial import identified
from dynid.profile import load_robot

WRONG = (
    "gravity upside down",
    "mass x 1.5",
    "mass x 0.5",
    "friction with the wrong sign",
    "everything x 5",
    "offsets",
    "a tool of 1.8 kg",
)
RIGHT = ("right", "friction x 1.1", "friction x 0.9")


@cache
def robot():
    return load_robot("puma560", overrides=["collision.torque_error_enable=false"])


@cache
def tried():
    return models(identified(robot()))


@pytest.mark.parametrize("name", representatives([*WRONG], 3))
def test_a_wrong_model_is_noticed_and_its_torque_is_ramped_out(name):
    _, model = tried()[name]
    work = Work(robot(), model, 3)
    assert noticed_after(work, 40.0) is not None
    law = work.robot.law
    sentence = _core.describe_inactive_reason(
        law.inactive_reason, law.limited_drive, robot().joints
    )
    assert "model" in sentence
    work.run(1000)
    assert not np.any(law.torque_offset)
    assert not work.robot.latched, "the robot goes on"


@pytest.mark.thorough
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_model_is_not_called_wrong(name):
    _, model = tried()[name]
    assert noticed_after(Work(robot(), model, 3), 40.0) is None
