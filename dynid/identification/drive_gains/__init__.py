"""Torque constants of the drives, identified with a payload of known mass.

They are identified together with the dynamic parameters.
"""
