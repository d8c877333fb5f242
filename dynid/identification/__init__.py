"""Tasks: identify, validate and diagnose a robot's model.

Each combines lower rooms and returns one frozen result.
"""
