"""Motions on their way to a robot: checked, interpolated, watched and stopped. Knows no ROS."""
