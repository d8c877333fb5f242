"""Denavit-Hartenberg tables, turned into a URDF and a profile.

Standard and modified conventions, with the drives' data where the table has them.
"""
