"""Torque constants of the drives, estimated from a payload of known mass.

Identified together with the parameters, physically consistent where asked.
"""
