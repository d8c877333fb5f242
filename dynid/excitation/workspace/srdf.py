"""Links that may touch, as written by MoveIt's setup: ``<disable_collisions>`` of an SRDF."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.input_file import read_text
from dynid.text import printable
from dynid.xml_tree import xml_tree


def read_srdf(path: Path) -> dict[frozenset[str], str]:
    """Return the pairs of links that may touch according to an SRDF, with the reason given there.

    Pairs with the reason ``Never`` are not included: they were apart in random positions, which is
    no proof, and checking them costs little.

    Raises:
        ConfigurationError: the file cannot be read, is not XML, or an entry lacks a link.
    """
    root = xml_tree(read_text(path), printable(path), ConfigurationError)
    if root.tag != "robot":
        message = f"{path}: is not an SRDF, as its root is <{root.tag}> in place of <robot>."
        raise ConfigurationError(message)
    pairs = {}
    for entry in root.findall("disable_collisions"):
        links = [entry.get(key, "") for key in ("link1", "link2")]
        if not all(links):
            raise ConfigurationError(f"{path}: a <disable_collisions> lacks its link1 or link2.")
        reason = entry.get("reason", "")
        if reason.lower() != "never":
            pairs[frozenset(links)] = reason
    return pairs


def check_links(path: Path, links: Collection[str]) -> dict[frozenset[str], str]:
    """Return the pairs of :func:`read_srdf` that are links of a URDF.

    Raises:
        ConfigurationError: none is, so that the SRDF is of another robot, or it cannot be read.
    """
    pairs = read_srdf(path)
    known = {pair: reason for pair, reason in pairs.items() if pair <= set(links)}
    if pairs and not known:
        raise ConfigurationError(
            f"{path}: no pair of its <disable_collisions> has links of this URDF; workspace.srdf "
            "must be the SRDF of the same robot."
        )
    return known
