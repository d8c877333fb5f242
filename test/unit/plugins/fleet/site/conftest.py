from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from support.drawn_fleet import DrawnRobot, write_drawn_fleet

import dynid_plugins.fleet
from dynid_plugins.fleet.site.build import write_site
from dynid_plugins.fleet.watch import watch_fleet

PAYLOAD = 0.05
"""Mass that cell/0 carries [kg], from recording ``SINCE`` on."""
SINCE = 14
ROBOTS = [
    # a name that a file cannot have, and one that a page must not take for its own
    DrawnRobot("cell/0", "arm", 20, ("payload", "wrist"), lambda day: PAYLOAD * (day >= SINCE)),
    DrawnRobot("<b>quiet</b>", "arm", 20, warmth=-0.01),
    DrawnRobot("poor", "welder", 20, failed=3),
    DrawnRobot("new", "welder", 3),
]


@pytest.fixture(scope="module")
def data_set(tmp_path_factory) -> Path:
    return write_drawn_fleet(tmp_path_factory.mktemp("drawn") / "data set", ROBOTS)


@pytest.fixture(scope="module")
def watch():
    """Return the watch with a threshold of few simulated years: the changes are large."""
    return partial(watch_fleet, simulations=50)


@pytest.fixture(scope="module")
def results(data_set):
    return dynid_plugins.fleet.load(data_set)


@pytest.fixture(scope="module")
def states(results, client, watch):
    return watch(results, client)


@pytest.fixture(scope="module")
def site(results, states, client, data_set) -> Path:
    """Return the folder of the pages, beside the data set."""
    folder = data_set.parent / "site"
    write_site(results, states, client, folder)
    return folder
