"""The command ``dynid servo``.

Its modules import what they need when it runs: help stays fast.
"""
