"""Diagnosis: why an identification came out as it did, told from its data."""

from dynid.diagnosis.case import Case
from dynid.diagnosis.causes import CAUSES, diagnose
from dynid.diagnosis.finding import Finding, Plot, Severity, Trace, sentences

__all__ = ["CAUSES", "Case", "Finding", "Plot", "Severity", "Trace", "diagnose", "sentences"]
