"""Commands of the laboratory.

Each imports what it needs when it runs: help stays fast.
"""
