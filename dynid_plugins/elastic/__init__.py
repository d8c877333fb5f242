"""Elastic joints: gears that bend, from encoders on both sides or at the motors alone.

Identification, a simulated arm with elastic joints as ground truth, and feedforward.
"""
