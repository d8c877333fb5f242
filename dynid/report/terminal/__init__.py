"""Results as tables on a terminal that also read well in a pipe.

One module a result; ``console``, ``tables`` and ``progress`` have what they share.
"""
