"""Identification while the robot works: recursive least squares on the live stream."""
