"""The parameter uncertainty that a motion leads to, predicted before it is played.

Condition numbers, standard deviations, coverage and what to change.
"""
