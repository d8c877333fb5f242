"""What is doubtful in a URDF, before anything moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.excitation.plausible_bodies import body_doubts
from dynid.excitation.plausible_limits import limit_doubts
from dynid.excitation.workspace.geometry import body_names

if TYPE_CHECKING:
    from dynid.excitation.doubt import Doubt
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.robot.robot import Robot


def urdf_doubts(robot: Robot, workspace: Workspace) -> tuple[Doubt, ...]:
    """Return what is doubtful in limits, masses and inertias of a robot's URDF.

    Args:
        robot: with the limits of its profile, which are not examined.
        workspace: of the robot, with the solids of its bodies.

    Raises:
        MechanismError: robot and URDF do not match.
    """
    kinematics, bodies = workspace.kinematics, workspace.bodies
    links = kinematics.links()
    incomplete = {links[mesh.link][0] for mesh in bodies.missing}
    described = [
        name
        for body, name in enumerate(body_names(kinematics))
        if name not in bodies.sources["generated"] and body not in incomplete
    ]
    return (*limit_doubts(robot), *body_doubts(kinematics, bodies.solids, described))
