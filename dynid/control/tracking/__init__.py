"""Tracking errors of standard motions with and without the model's torque.

They run on the simulated robot; the measures are those of softMC, the commercial reference.
"""
