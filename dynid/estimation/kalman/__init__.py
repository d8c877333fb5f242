"""Kalman filters whose state holds the base parameters beside the joints' motion."""
