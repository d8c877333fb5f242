"""The model at work: feedforward torque, collision detection and their tuning.

The same C++ core as in the ros2_control plugin.
"""
