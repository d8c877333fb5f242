"""Results as tables on a terminal that also read well in a pipe.

One module a result; ``console`` has what they share.
"""
