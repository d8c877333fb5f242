"""Presentation of results: HTML pages, plots, tables and JSON, and the output files of a run.

Uses results of the other packages; only the command line and dynid_ros import it.
"""
