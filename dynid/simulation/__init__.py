"""A simulated robot in place of the real one: it follows targets and is recorded.

Its parameters are known, so that what is identified can be compared with them.
"""
