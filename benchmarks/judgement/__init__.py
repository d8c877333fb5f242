"""A benchmark that can fail: does the diagnosis name the right cause of contradictory data?"""
