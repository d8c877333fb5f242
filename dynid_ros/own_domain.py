"""A ROS graph of this process and its children, separate from all others on this machine."""

from __future__ import annotations

import atexit
import os
import random
import socket
from contextlib import suppress

from dynid.errors import DynidError
from dynid_ros.discovery_range import RANGE, listen_on_loopback

# above 100 a domain's ports are in Linux's range of ephemeral ports (from 32768)
DOMAINS = range(1, 101)


def enter_own_domain() -> int:
    """Set the environment for a domain that no other caller on this machine has.

    Call it before ``rclpy.init``. Only nodes on this machine are accepted.

    Returns:
        The domain's number.

    Raises:
        DynidError: every domain is in use.
    """
    domain, mark = _free_domain()
    atexit.register(mark.close)  # until then it reserves the domain, however this process ends
    os.environ.setdefault("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")
    os.environ[RANGE] = "LOCALHOST"
    listen_on_loopback(os.environ, force=True)
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    return domain


def _free_domain() -> tuple[int, socket.socket]:
    # at random, because other programs also choose domains, starting at 0
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        mark = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with suppress(OSError):
            # the last port of the domain's own (DDSI-RTPS 2.2, 9.6.1.1), which only its 120th
            # participant would use
            mark.bind(("127.0.0.1", 7400 + 250 * domain + 249))
            return domain, mark
        mark.close()
    raise DynidError(
        f"all ROS domains {DOMAINS[0]} to {DOMAINS[-1]} are in use on this machine; end the "
        "programs in one of them."
    )
