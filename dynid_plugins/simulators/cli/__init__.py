"""The command ``dynid model export``.

It parses options, calls one task and prints its result.
"""
