"""Selection of a friction model for each joint, by the error on held-out data.

Nonlinear shapes are fitted by variable projection.
"""
