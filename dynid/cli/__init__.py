"""The command line ``dynid``: one module a command.

A command parses options, calls one task and prints its result.
"""

from dynid.cli.app import app, main

__all__ = ["app", "main"]
