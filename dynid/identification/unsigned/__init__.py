"""Torque recorded without its sign: the signs are found first.

Segments, a beam search over signs, and how certain each sign is.
"""
