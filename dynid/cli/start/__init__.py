"""``dynid start``: the way from a robot to its model as a page in a browser.

The page runs the commands of the command line as child processes and shows what they print and
write: it computes nothing itself.
"""
