"""Former place of ``dynid_plugins.fleet``, which works until 0.4."""

from __future__ import annotations

import warnings

from dynid.plugins import public_name

warnings.warn(
    "import dynid_plugins.fleet: dynid.fleet will be removed in 0.4.",
    DeprecationWarning,
    stacklevel=2,
)


def __getattr__(name: str) -> object:
    """Return a name of the plug-in."""
    if name.startswith("__"):
        raise AttributeError(f"module 'dynid.fleet' has no attribute '{name}'", name=name)
    found: object = getattr(public_name("fleet"), name)
    return found
