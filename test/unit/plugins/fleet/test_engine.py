"""The engine survives its processes; the end of the scheduler is reported."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import metadata

import distributed
import pytest
from support.deadlines import LONGEST
from support.tasks import (
    blocks_interruptions,
    does_sample,
    end_process_once,
    hold_memory,
    keep_memory,
    monitor_memory,
    square,
)

from dynid.errors import ConfigurationError, TaskError
from dynid_plugins.fleet import engine
from dynid_plugins.fleet.engine import WorkerLost, cluster, completed


@pytest.mark.thorough
def test_items_of_a_killed_process_are_computed_by_another(tmp_path):
    items = [(number, (str(tmp_path), number)) for number in range(8)]
    with cluster(workers=1) as client:
        found = list(completed(client, end_process_once, items))
    assert sorted(item for item, _ in found) == list(range(8))  # none lost, none doubled
    results = dict(found)
    assert isinstance(results.pop(5), WorkerLost)
    assert results == {number: number**2 for number in range(8) if number != 5}


@pytest.mark.thorough
def test_a_process_that_takes_long_to_start_again_is_waited_for(tmp_path):
    import dask

    # by its own settings, Dask would not start a process again that is not there at once
    impatient = {"distributed.deploy.lost-worker-timeout": "1ms"}
    bounded = {"distributed.scheduler.no-workers-timeout": "60s"}
    items = [(number, (str(tmp_path), number)) for number in (3, 4)]
    with dask.config.set(impatient | bounded), cluster(workers=1) as client:
        assert dict(completed(client, end_process_once, items)) == {3: 9, 4: 16}


def test_processes_that_do_not_start_again_are_said_in_a_sentence(monkeypatch, tmp_path):
    async def fail(_nanny):
        raise RuntimeError("no process can be started")

    monkeypatch.setattr(engine, "_WITHOUT_PROCESSES", "1s")
    with cluster(workers=1) as client:
        monkeypatch.setattr(distributed.Nanny, "instantiate", fail)
        with pytest.raises(TaskError, match="processes of the cluster ended, and none could be"):
            list(completed(client, end_process_once, [(5, (str(tmp_path), 5))]))


@pytest.mark.thorough
def test_a_process_that_keeps_its_memory_gets_items(monkeypatch):
    monkeypatch.setattr(engine, "_WITHOUT_PROCESSES", "1s")
    with cluster(workers=1, memory="1GB") as client:
        client.submit(keep_memory, 870, pure=False).result(LONGEST)
        client.run(monitor_memory)
        assert dict(completed(client, square, [("one", (3,))])) == {"one": 9}


@pytest.mark.thorough
def test_a_process_that_exceeds_its_memory_is_ended_and_the_others_are_computed():
    items = [("large", (1300,)), ("small", (1,))]
    with cluster(workers=1, memory="1GB") as client:
        found = dict(completed(client, hold_memory, items))
    assert isinstance(found["large"], WorkerLost)
    assert found["small"] == 1


def test_processes_keep_no_samples_of_what_they_do():
    with cluster(workers=1) as client:
        (sampled,) = client.run(does_sample).values()
    assert not sampled


def test_the_interruption_of_a_terminal_does_not_reach_processes(tmp_path):
    with cluster(workers=1) as client:
        assert list(client.run(blocks_interruptions).values()) == [True]
        # nor those that are started in place of others
        dict(completed(client, end_process_once, [(3, (str(tmp_path), 3))]))
        assert list(client.run(blocks_interruptions).values()) == [True]


def test_few_items_are_on_the_cluster_at_a_time(client):
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number, (number,)

    results = completed(client, square, items())
    for number, _ in zip(range(20), results, strict=False):
        assert len(taken) <= number + 1 + 4 * 2
    assert len(taken) < 40


def test_what_a_function_raises_is_raised(client):
    with pytest.raises(TypeError):
        list(completed(client, square, [("text", ("text",))]))


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:9", "", "x", "http://127.0.0.1:9", "tls://127.0.0.1:9", "ucx://x"]
)
def test_no_scheduler_is_said_in_a_sentence(monkeypatch, capsys, address):
    monkeypatch.setattr(engine, "_RECONNECT", "1s")
    with pytest.raises(TaskError, match=f"{address}: no scheduler answers"), cluster(address):
        pass
    assert "Exception ignored" not in capsys.readouterr().err


@pytest.mark.parametrize("memory", ["abc", "", "0", "-1", "1B", "nan", "1e400"])
def test_a_limit_of_memory_that_no_process_can_keep_is_refused(memory):
    with pytest.raises(ConfigurationError, match="such as 2GB, and at least 100 MB"):
        cluster(memory=memory).__enter__()


def test_processes_that_cannot_be_started_are_said_in_a_sentence(monkeypatch):
    def fail(**_options):
        raise RuntimeError("Cluster failed to start: no usable temporary directory")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    with pytest.raises(TaskError, match=r"cannot be started .*no usable temporary directory"):
        cluster(workers=1).__enter__()


SCHEDULER = """
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as one:
        print(one.scheduler_address, flush=True)
        input()
"""


@contextmanager
def answering(address: str) -> Iterator[object]:
    """Connect to a scheduler that may be slow to answer, because other tests keep it busy."""
    with ExitStack() as stack:
        for attempt in range(20):
            try:
                client = stack.enter_context(cluster(address))
                break
            except TaskError:
                if attempt == 19:
                    raise
        yield client


@pytest.mark.thorough
def test_the_end_of_the_scheduler_is_said_in_a_sentence():
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().strip()
        with answering(address) as client:
            results = completed(client, time.sleep, ((number, (0.05,)) for number in range(1000)))
            next(results)
            process.kill()
            with pytest.raises(TaskError, match="the scheduler of the cluster ended"):
                list(results)


def test_workers_must_have_this_version(monkeypatch, client):
    address = client.scheduler.address
    with cluster(address):
        pass
    monkeypatch.setattr(metadata, "version", lambda _name: "0.0.1")
    monkeypatch.setattr("dynid_plugins.fleet.engine._own_version", lambda: "9.9.9")
    with pytest.raises(TaskError, match=r"has dynid 0\.0\.1, expected dynid 9\.9\.9"):
        cluster(address).__enter__()
