"""Parameters while the robot works, and payloads picked up or dropped.

Recursive least squares on the live joint states.
"""
