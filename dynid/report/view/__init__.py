"""Pictures of a robot: the scene as numbers, then HTML, PNG or RViz markers.

The scene knows no renderer; each renderer is one module.
"""
