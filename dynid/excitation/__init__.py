"""Motions that excite a robot's dynamics: types, files, ramps and limits.

An excitation can be sampled at any time; its limits hold at every instant.
"""
