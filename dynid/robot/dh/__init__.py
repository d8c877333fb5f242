"""Conversion of Denavit-Hartenberg tables to a URDF and a profile.

Standard and modified conventions, with data of the drives if the table has them.
"""
