"""The optimiser: the most informative motion that keeps every limit.

Fourier series, optimised by a barrier method from several random starts.
"""
