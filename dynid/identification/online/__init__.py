"""Online identification of parameters, and detection of payload changes.

Recursive least squares on the joint states of a running robot.
"""
