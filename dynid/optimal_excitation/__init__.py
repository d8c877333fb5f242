"""Fourier excitations that identify as well as a robot's limits allow."""
