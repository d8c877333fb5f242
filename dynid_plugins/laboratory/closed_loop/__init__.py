"""Estimators that simulate the closed control loop (IV, DIDIM, CLOE, CLIE).

They depend less on the quality of velocity and acceleration than least squares does.
"""
