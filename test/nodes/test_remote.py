"""How a sequence detects that another node is alive."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

from dynid_ros.node import DynidNode
from dynid_ros.remote import Remote

LOST = SimpleNamespace(alive_count=0)
"""Status of the middleware where a lease was not renewed in time."""


def watch(graph, name) -> Remote:
    watcher = graph.start(partial(DynidNode, "watcher"))
    watcher.wait = lambda *_: None
    remote = Remote(watcher, name, ())
    graph.until(lambda: watcher.count_publishers(f"{name}/alive"))
    graph.until(lambda: watcher.count_publishers("/watcher/alive"))
    return remote


def test_a_node_of_the_same_process_is_not_considered_dead(graph) -> None:
    """On a busy machine the process may be too late to renew its lease."""
    graph.start(partial(DynidNode, "kettle"))
    remote = watch(graph, "/kettle")
    remote._on_liveliness(LOST)
    for _ in range(20):
        graph.spin(0.05)
        assert not remote.silent
