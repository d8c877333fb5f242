"""Preprocessing of a recording to joint-side signals: units, coupling, filters, derivatives.

Every step is optional; ``settings`` lists them.
"""
