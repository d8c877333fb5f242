"""Motions that make a robot show its dynamic parameters."""

from dynid.excitation.build import build_excitation
from dynid.excitation.excitation_file import find_trajectory, read_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limits import check_limits, check_rest, sample_peaks
from dynid.excitation.motion import Array, Excitation, Motion
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import (
    ExcitationSettings,
    FourierSettings,
    SineSettings,
    SplineSettings,
    TrajectorySettings,
)
from dynid.excitation.sine import SineExcitation
from dynid.excitation.spline import SplineExcitation, spline_through

__all__ = [
    "Array",
    "Excitation",
    "ExcitationSettings",
    "FourierExcitation",
    "FourierSettings",
    "Motion",
    "Ramp",
    "SineExcitation",
    "SineSettings",
    "SplineExcitation",
    "SplineSettings",
    "TrajectorySettings",
    "build_excitation",
    "check_limits",
    "check_rest",
    "find_trajectory",
    "read_excitation",
    "sample_peaks",
    "spline_through",
]
