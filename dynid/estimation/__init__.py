"""Regression and estimators: from signals to base and standard parameters.

Each estimator is one class in its own module; ``estimators`` lists them.
"""
