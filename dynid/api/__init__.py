"""The public functions of ``import dynid``: robots, models and recordings may be given as files.

Each of them reads what is a file, and calls a function of the room where its task is.
"""
