"""Workspace constraints: distances of the robot to itself, planes and boxes; box of the tool.

Distances are computed by pinocchio and coal, with bounds that are valid between samples.
"""
