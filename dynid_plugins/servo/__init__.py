"""Identification of the law of servos together with the parameters of the robot.

Torque is not measured: it follows from commands and positions by the law itself.
"""
