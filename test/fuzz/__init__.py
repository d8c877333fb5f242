"""Every reader of files with mutated input: the outcome is a result, or a ``DynidError``.

``python -m fuzz --help`` (with ``test`` on the path) runs it, ``make fuzz SECONDS=600`` too, with
guided by coverage; test_fuzz.py runs a fixed number of cases. A case is a function of reader, seed
and number, so that it can be reproduced.
"""
