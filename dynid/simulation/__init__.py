"""A simulated robot with known parameters (ground truth): it follows targets and is recorded.

Identified parameters can be compared with the true ones.
"""
