"""Pictures of a robot: a scene as numbers, then HTML, PNG or RViz markers.

The scene does not depend on a renderer; each renderer is one module.
"""
