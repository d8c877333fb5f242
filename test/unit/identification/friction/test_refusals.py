"""Recordings without information on friction are refused in one sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.errors import EstimationError
from dynid.identification.friction.search import select_friction
from dynid.recording.model import Recording

ROBOT = arm_robot()


def recording(samples: int) -> Recording:
    mechanism = ROBOT.mechanism()
    return recorded(mechanism, true_parameters(mechanism), samples=samples, noise=0.05)


def test_a_recording_too_short_to_hold_out_parts_is_refused() -> None:
    with pytest.raises(EstimationError, match=r"too short .* longer motion"):
        select_friction(ROBOT, [recording(120)])


def test_a_constant_effort_is_refused() -> None:
    constant = replace(recording(600), effort=np.ones((600, 3)))
    with pytest.raises(EstimationError, match="shoulder, elbow and wrist is constant"):
        select_friction(ROBOT, [constant])
