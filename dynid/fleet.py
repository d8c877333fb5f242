"""Former place of ``dynid_plugins.fleet``."""

from __future__ import annotations

import warnings

from dynid.guessed_names import renamed
from dynid.plugins import public_name

warnings.warn(renamed("dynid.fleet", "dynid_plugins.fleet"), DeprecationWarning, stacklevel=2)


def __getattr__(name: str) -> object:
    """Return a name of the plug-in."""
    if name.startswith("__"):
        raise AttributeError(f"module 'dynid.fleet' has no attribute '{name}'", name=name)
    found: object = getattr(public_name("fleet"), name)
    return found
