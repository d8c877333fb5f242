"""The tasks a user asks for: identify, validate and diagnose a robot's model.

Each composes the rooms below and returns one frozen result.
"""
