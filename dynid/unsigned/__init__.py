"""Torque whose sign was not measured: which sign each sample has, and how certain that is."""

from dynid.unsigned.model_signs import signed_by_model
from dynid.unsigned.sign_finding import find_signs
from dynid.unsigned.torque_signs import DriveSigns, TorqueSigns, UncertainSegment

__all__ = ["DriveSigns", "TorqueSigns", "UncertainSegment", "find_signs", "signed_by_model"]
