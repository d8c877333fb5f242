"""An excitation played on a robot: plan, trajectory, supervision and stop.

Nothing here imports ROS; the nodes and the demo are two shells over it.
"""
