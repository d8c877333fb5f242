"""Recordings of joint states, read from bags, CSV and NumPy files, and written to bags.

This room knows joint names, not robots; every repair of a recording is noted in it.
"""
