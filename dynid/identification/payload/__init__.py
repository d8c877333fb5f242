"""What the robot carries: its mass, centre and inertia, in motion or at rest.

The payload is the difference to a model of the robot without it.
"""
