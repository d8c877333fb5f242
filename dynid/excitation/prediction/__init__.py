"""Prediction of the parameter uncertainty of a motion, before it is played.

Condition numbers, standard deviations, coverage and advice.
"""
