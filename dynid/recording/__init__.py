"""Recordings of joint states: reading bags, CSV and NumPy files, and writing bags.

This room uses joint names, not robots. Every repair is noted in the recording.
"""
