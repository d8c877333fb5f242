"""Tools that identify robots, behind one interface.

A tool is a ``Contender``: a function from a ``FittingTask`` to a ``FittedModel``.
"""
