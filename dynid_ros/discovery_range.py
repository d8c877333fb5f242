"""Who reaches nodes: processes on this machine only, or this process and its children alone."""

from __future__ import annotations

import atexit
import os
import random
import socket
from collections.abc import MutableMapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from dynid.errors import DynidError

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"

CHOSEN_BY = (RANGE, "ROS_LOCALHOST_ONLY")
"""Variables by which a user chooses a range; the second is the one of older releases of ROS 2."""

PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Variables that name a file of settings for Fast DDS; version 2 reads the first, 3 both."""


def _settings() -> str:
    """Return the file for the Fast DDS beside rclpy, whose package has another name in version 3.

    Each version rejects the whole file of the other one, for the name of one element.
    """
    spec = find_spec("rclpy")
    prefixes = Path(spec.origin).parents if spec is not None and spec.origin else ()
    version = 3 if any((one / "share" / "fastdds").is_dir() for one in prefixes) else 2
    return str(Path(__file__).with_name(f"this_machine_fastdds_{version}.xml"))


LOOPBACK = _settings()
"""Settings with which Fast DDS listens on the loopback interface only."""

OPEN_BY = (
    f"Only nodes on this machine are accepted; {RANGE}=SUBNET also accepts those of other "
    "machines, without authentication (docs/security.md)."
)
OPEN_BY_PROFILE = (
    "The profile of Fast DDS in the environment decides whether other machines reach this node "
    "(docs/security.md)."
)


def stay_on_this_machine(environment: MutableMapping[str, str] = os.environ) -> str:
    """Accept nodes on this machine only, unless the environment opens more.

    The range LOCALHOST limits only where a node searches: another machine that names this one as
    its peer would still reach it, so Fast DDS also listens on the loopback interface only. Call
    it before ``rclpy.init``, and in a launch file before all its processes: by default, ROS 2
    lets every machine in the subnet move the robot.

    Args:
        environment: of this process and of those that it starts.

    Returns:
        A sentence for the log about who reaches the nodes; empty if the user chose the range.
    """
    chosen = any(environment.get(name) for name in CHOSEN_BY)
    if not chosen:
        environment[RANGE] = "LOCALHOST"
    closed = _is_local(environment) and listen_on_loopback(environment)
    if chosen:
        return ""
    return OPEN_BY if closed else OPEN_BY_PROFILE


def listen_on_loopback(environment: MutableMapping[str, str], *, force: bool = False) -> bool:
    """Let Fast DDS listen on the loopback interface only.

    Args:
        environment: of this process and of those that it starts.
        force: whether the profile replaces one of the user.

    Returns:
        Whether every version of Fast DDS has this profile; False if one of the user is kept.
    """
    kept = [name for name in PROFILES if environment.get(name) not in (None, "", LOOPBACK)]
    for name in PROFILES:
        if force or name not in kept:
            environment[name] = LOOPBACK
    return force or not kept


def _is_local(environment: MutableMapping[str, str]) -> bool:
    """Return whether rcl searches on this machine only; the older variable has priority."""
    return environment.get("ROS_LOCALHOST_ONLY") == "1" or environment.get(RANGE) == "LOCALHOST"


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
