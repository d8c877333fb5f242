"""Methods for comparison and research: estimators beside those of the core.

Closed-loop and Kalman estimators, total least squares, maximum likelihood, scalar recursion.
"""
