"""Model-based control: feedforward torque, collision detection and their tuning.

It uses the C++ core of the ros2_control plugin.
"""
