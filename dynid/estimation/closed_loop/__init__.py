"""Estimators that simulate the robot in its control loop: IV, DIDIM, CLOE and CLIE."""
