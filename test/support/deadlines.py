"""Longest time that a test waits for an event."""

LONGEST = 600.0
"""Time after which a wait has failed [s]: far longer than a busy machine needs, so that only a
fault of the product exceeds it."""
