"""The command ``dynid export``.

It parses options, calls one task and prints its result.
"""
