"""The rigid-body model of a robot: mechanism, joint terms, closed chains, base parameters.

One implementation (C++ and pinocchio, ``dynid._core``) serves identification and control.
"""
