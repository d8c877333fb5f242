"""Models in the files of simulators: MJCF, SDF, USD and URDF.

What a format cannot represent is named, with the nearest that it can and what that costs.
"""
