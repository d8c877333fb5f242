"""The command ``dynid bench``.

It imports what it needs when it runs: help stays fast.
"""
