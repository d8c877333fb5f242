"""External wrench of a real robot in free motion: the noise floor, and its uncertainty."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import PANDA, needs

import dynid
from dynid.report.wrench import rms


@pytest.mark.thorough
@needs(PANDA)
def test_panda_in_free_motion_has_a_noise_floor_below_a_newton() -> None:
    robot = dynid.load_robot("panda")
    model = dynid.identify(robot, dynid.load_recording(PANDA, robot, stop=10.5)).model
    free = dynid.load_recording(PANDA, robot, start=10.5, stop=14.7)
    rest = dynid.load_recording(PANDA, robot, start=14.7)
    found = dynid.estimate_wrench(model, rest, free=free, zero_phase=True)
    assert not found.contacts
    assert (rms(found.wrench)[:3] < 1.0).all(), "force [N]"
    assert (rms(found.wrench)[3:] < 0.1).all(), "moment [N m]"
    deviation = np.sqrt(np.diagonal(found.wrench_covariance, axis1=1, axis2=2))
    within = np.abs(found.wrench) < 2 * deviation
    # 6 s of motion are some hundred of the observer's time constants
    assert within.mean() > 0.9
    assert (deviation.mean(axis=0)[:3] < 2.0).all(), "and not by claiming nothing"
