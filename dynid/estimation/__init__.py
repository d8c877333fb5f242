"""Regression and estimators: from signals to base and standard parameters.

Each estimator is one class that says what it is; ``estimators`` finds them by name.
"""
