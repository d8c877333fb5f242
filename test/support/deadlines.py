"""How long a test waits for what has to happen."""

LONGEST = 600.0
"""Time after which a wait has failed [s]: far beyond what a busy machine needs, so that only a
fault of the product reaches it."""
