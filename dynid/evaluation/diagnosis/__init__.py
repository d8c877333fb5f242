"""Causes of poor recordings and models, with evidence and remedies.

Each cause is one module; ``causes`` lists them and which cause suppresses which.
"""
