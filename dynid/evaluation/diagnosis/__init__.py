"""Why a recording or a model is not good: causes, evidence and remedies.

A cause a module; ``causes`` lists them and says which one suppresses which.
"""
