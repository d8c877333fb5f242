"""Hypotheses about faults of recordings or models: each is a remedy that is tried by a refit.

``samples`` holds the data, ``refit`` the error of a refit on data it did not use, ``remedies`` the
modifications of data or model, ``search`` chooses among them, and ``findings`` says what was seen.
"""
