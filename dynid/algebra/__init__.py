"""What can be computed from a model besides running it: its parts, base parameters, C code."""
