"""The commands of elastic joints.

Their modules import what they need when they run: help stays fast.
"""
