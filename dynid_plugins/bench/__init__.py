"""Tools that identify robots, compared on public recordings of real ones: ``dynid bench``.

Recordings and their splits are tables (``recordings.yaml``, ``splits.yaml``); ``contenders`` has
the tools.
"""
