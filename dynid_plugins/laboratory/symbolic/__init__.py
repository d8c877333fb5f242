"""The symbolic model: Newton-Euler, joint terms, minimal parameters, C code.

Formulas are made from the same mechanism and checked against it.
"""
