"""The robot (``Robot``) and its identified dynamic model (``Model``), with their files.

A robot carries the settings of its tasks, but this package does not import any task.
"""
