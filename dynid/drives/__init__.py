"""Drives: the one place where torque, current, permille and counts are converted."""

from __future__ import annotations

from dynid.drives.settings import Drives

__all__ = ["Drives"]
