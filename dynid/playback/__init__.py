"""Playback of an excitation on a robot: plan, trajectory, supervision and stop.

It does not import ROS; the nodes and the demo are built on it.
"""
