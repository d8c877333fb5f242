"""What a robot is (``Robot``) and its identified dynamics (``Model``), with their files.

A robot carries the settings of its tasks, but this room knows none of the tasks.
"""
