"""The command line, a command a module."""

from dynid.cli.app import app, main

__all__ = ["app", "main"]
