"""The commands ``dynid fleet`` and ``dynid fleet drift``.

Each parses options, calls one task and prints its result.
"""
