"""Accuracy of a model: torque errors of each joint, and the verdict.

Errors of the fit and errors on unseen data are kept apart.
"""
