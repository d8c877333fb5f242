"""Options of commands that remedy what was found, beside the keys of a profile."""

from __future__ import annotations

_OPTION = {"unsigned_effort": "For one run: dynid identify … --unsigned-torque."}


def with_option(cause: str, remedy: str) -> str:
    """Return a remedy with the option that does the same, if there is one."""
    return f"{remedy} {_OPTION[cause]}" if cause in _OPTION else remedy
