"""Mutation testing: the share of small mistakes in the code that an area's own tests detect."""
