"""Mutation testing: how many small mistakes in the code do an area's own tests notice?"""
