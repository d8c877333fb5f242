"""The choice of a friction model for each joint, by the error on data left out.

Nonlinear shapes are fitted by variable projection.
"""
