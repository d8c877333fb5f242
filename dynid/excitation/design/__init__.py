"""The optimiser: the most informative motion that keeps every limit.

Fourier series in a barrier method, from several random starts.
"""
