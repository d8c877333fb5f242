"""The commands ``dynid fleet`` and ``dynid drift``.

Each parses options, calls one task and prints its result.
"""
