"""Identification of a payload's mass, centre and inertia, in motion or at rest.

The payload is the difference from a model of the robot without it.
"""
