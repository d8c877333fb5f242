"""Tracking errors of standard motions with and without the model's torque.

Run on the simulated robot; figures as in the commercial reference.
"""
