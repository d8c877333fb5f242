"""Hypotheses about faults of recordings or models: each is a remedy that is tried by a refit.

``samples`` holds the data, ``state`` what a hypothesis changes in them, ``refit`` the error of a
refit on data it did not use, and ``trial`` brings these together. ``knobs`` has the numbers that a
linearised search finds, ``proposals`` what is far from the present state, ``contact`` intervals of
time, and ``rivals`` relations of the measured torque that may be true instead of a cause.
``search`` chooses among all of them, and ``wording`` says what was chosen.
"""
