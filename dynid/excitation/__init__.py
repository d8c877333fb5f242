"""Motions that excite a robot's dynamics: types, files, ramps and limits.

An excitation can be sampled at any time, and its limits are proven at every instant.
"""
