"""How good a model is, and what may be wrong where it is not."""
