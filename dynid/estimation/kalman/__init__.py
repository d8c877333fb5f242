"""State filters (EKF and square-root UKF) that estimate parameters with the state.

Both share one discrete model of the robot.
"""
