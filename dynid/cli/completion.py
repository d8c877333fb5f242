"""What a shell completes: names of robots, and values of options that are enumerated.

Nothing here may import what computes: a completion takes no longer than the list of commands.
"""

from __future__ import annotations

from dynid.files import share_directories

ESTIMATORS = (
    "ols",
    "wls",
    "irls",
    "tls",
    "ml",
    "ekf",
    "srukf",
    "iv",
    "didim",
    "cloe",
    "clie",
    "rls",
    "rls_joint",
)
"""As ``EstimatorName`` lists them."""


def complete_robot(incomplete: str) -> list[str]:
    """Return names of shipped robots; where none fits, the shell completes files."""
    profiles = [
        path for root in share_directories()[:1] for path in root.glob("config/robots/*.yaml")
    ]
    return [name for name in sorted(path.stem for path in profiles) if name.startswith(incomplete)]


def complete_estimator(incomplete: str) -> list[str]:
    """Return names of estimators."""
    return [name for name in ESTIMATORS if name.startswith(incomplete)]
