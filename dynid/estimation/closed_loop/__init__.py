"""Estimators that use a model of the closed control loop (IV, DIDIM, CLOE, CLIE).

They need less of the velocity signal than least squares does.
"""
