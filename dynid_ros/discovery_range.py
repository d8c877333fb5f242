"""The discovery range of nodes: this machine only, unless the environment sets another one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableMapping

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"

CHOSEN_BY = (RANGE, "ROS_LOCALHOST_ONLY")
"""Variables by which a user chooses a range; the second is the one of older releases of ROS 2."""

OPEN_BY = (
    f"Only nodes on this machine are found; {RANGE}=SUBNET also accepts those of other machines, "
    "without authentication (docs/security.md)."
)


def stay_on_this_machine(environment: MutableMapping[str, str] = os.environ) -> bool:
    """Restrict discovery to this machine, unless the environment sets a range.

    Call it before ``rclpy.init``, and in a launch file before all its processes: by default, ROS 2
    lets every machine in the subnet move the robot.

    Args:
        environment: of this process and of those that it starts.

    Returns:
        Whether the range was set here.
    """
    if any(environment.get(name) for name in CHOSEN_BY):
        return False
    environment[RANGE] = "LOCALHOST"
    return True
