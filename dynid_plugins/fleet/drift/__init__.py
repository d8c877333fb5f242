"""Drift: what changes in a robot over many recordings, when, by how much, and by which cause.

A ``History`` holds parameters identified from one recording each; ``detect_drift`` compares them
with the robot's own first recordings, at a stated rate of false alarms.
"""
