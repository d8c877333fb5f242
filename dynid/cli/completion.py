"""What a shell completes: names of robots, and values of options that are enumerated.

Nothing here may import what computes: a completion takes no longer than the list of commands.
"""

from __future__ import annotations

from dynid.estimation.estimators import estimator_names
from dynid.robot_files import shipped_profiles


def complete_robot(incomplete: str) -> list[str]:
    """Return names of shipped robots; where none fits, the shell completes files."""
    return [name for name in shipped_profiles() if name.startswith(incomplete)]


def complete_estimator(incomplete: str) -> list[str]:
    """Return names of estimators."""
    return [name for name in estimator_names() if name.startswith(incomplete)]
