"""Regression and estimators: from signals to base and standard parameters.

A class a module for each estimator; ``estimators`` lists them.
"""
