"""How long a launch test waits for what has to happen."""

LONGEST = 600.0
"""Time after which a wait has failed [s]: far beyond what a busy machine needs, so that only a
fault of the product reaches it. CMakeLists.txt gives a whole test three times that."""
