"""Where a robot may be: clear of itself, planes and boxes, its tool in a box.

Distances by pinocchio and coal, with bounds that hold between samples.
"""
