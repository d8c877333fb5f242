"""Motions of three joints, of every kind that a profile may have."""

from __future__ import annotations

import numpy as np

from dynid.excitation.settings import FourierSettings, SineSettings
from dynid.excitation.spline import spline_through
from dynid.robot.limits import Limits

JOINTS = ("shoulder", "elbow", "wrist")
LIMITS = Limits(
    position=((-2.0, 1.0), (-1.5, 1.5), (-3.0, 3.0)),
    velocity=(1.5, 2.0, 3.0),
    acceleration=(6.0, 8.0, 20.0),
)
SINE = SineSettings(
    start=(-0.5, 0.0, 1.0),
    target=(0.5, 0.8, -1.0),
    frequency=(0.11, 0.13, 0.15),
    duration=20.0,
    ramp=1.5,
)
FOURIER = FourierSettings(base_frequency=0.2, harmonics=4, periods=2, ramp=1.5, seed=3)

RANDOM = np.random.default_rng(4)
TIME = 3.0 + np.cumsum(RANDOM.uniform(0.3, 2.0, 8))
POSITION, VELOCITY, ACCELERATION = RANDOM.standard_normal((3, 8, 3))
VELOCITY[[0, -1]] = ACCELERATION[[0, -1]] = 0.0
SPLINES = {
    "positions": spline_through(TIME, POSITION),
    "velocities": spline_through(TIME, POSITION, VELOCITY),
    "accelerations": spline_through(TIME, POSITION, VELOCITY, ACCELERATION),
}
