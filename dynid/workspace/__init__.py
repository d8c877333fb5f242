"""Where a robot may be: away from itself, planes and boxes, its tool within a box and a speed."""

from dynid.workspace.workspace import Constraint, Workspace

__all__ = ["Constraint", "Workspace"]
