"""Check of a wheel as a user gets it: ``make wheel-check``."""
