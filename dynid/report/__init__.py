"""Results for people: HTML pages, plots, tables and JSON, and the files of a run.

Reads results from the rooms below; nothing below imports it.
"""
