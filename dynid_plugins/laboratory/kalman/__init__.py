"""Kalman filters (EKF and square-root UKF) that estimate parameters together with the state.

Both share one discrete model of the robot.
"""
