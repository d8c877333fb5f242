"""A payload as the controllers read it."""

PAYLOAD = """/**:
  ros__parameters:
    payload:
      mass: 1.25
      centre: [0.01, 0.0, 0.05]
      inertia: [0.01, 0.0, 0.01, 0.0, 0.0, 0.02]
"""
