"""Torque recorded without sign: the signs are found before the identification.

Segments, a beam search over their signs, and the certainty of each sign.
"""
