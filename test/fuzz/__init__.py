"""Every reader of files under mutated input: what comes out is a result, or a ``DynidError``.

``python -m fuzz --help`` (with ``test`` on the path) runs it, ``make fuzz SECONDS=600`` too, with
coverage as a guide; test_fuzz.py runs a fixed number of cases. A case is a function of reader, seed
and number, so that each can be made again.
"""
