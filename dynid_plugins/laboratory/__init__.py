"""Methods for comparison and research: estimators beside those of the core.

Also torque without sign, parameters from published tables, symbolic formulas and C code.
"""
