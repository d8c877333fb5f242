"""Independent computations on many processes: on this machine, or on any Dask cluster."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from itertools import islice
from multiprocessing import resource_tracker
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from dynid.errors import ConfigurationError, TaskError
from dynid.plugins import naming_extra

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4  # tasks for each thread of the cluster that wait on it: more would only take memory
_RECONNECT = "10s"
_WITHOUT_PROCESSES = "10 minutes"  # after which the work ends: none of them could be started again
_CLOSING = 60.0  # [s] most time that the processes of an interrupted command may take to end
_LEAST_MEMORY = 100_000_000  # [bytes] below which a process cannot even start


class WorkerLost(Exception):  # noqa: N818  reported as the result of one item
    """The processes that computed an item ended, again and again."""


@contextmanager
def cluster(
    scheduler: str | None = None, *, workers: int | None = None, memory: str = "auto"
) -> Iterator[Client]:
    """Yield a client of a cluster.

    Args:
        scheduler: address such as ``tcp://host:8786``; None for processes on this machine.
        workers: their number on this machine; None for one for each processor.
        memory: limit of each process on this machine, such as ``2GB``; one that exceeds it is
            started again.

    Raises:
        ConfigurationError: Dask is not installed, or ``memory`` is too little or no size.
        TaskError: there is no scheduler at the address, or it has no workers; or processes cannot
            be started on this machine, for example without a folder for temporary files.
    """
    with naming_extra("a fleet", "dynid[fleet]"):
        import dask  # noqa: PLC0415  an extra
        from distributed import Client, LocalCluster  # noqa: PLC0415
    if scheduler is not None:
        settings: dict[str, Any] = {"distributed.comm.timeouts.connect": _RECONNECT}
        with dask.config.set(settings), _quiet(), _connected(Client, scheduler) as client:
            yield client
        return
    _check_memory(memory)
    with dask.config.set(_local_settings()), _quiet():
        try:
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as problem:
            raise TaskError(f"processes for the fleet cannot be started ({problem}).") from None
        try:
            with Client(local) as client:
                yield client
        finally:
            # what is left of an interrupted start ends with this process
            with suppress(TimeoutError):
                local.close(timeout=_CLOSING)


def _local_settings() -> dict[str, Any]:
    """Return Dask's settings with which no item waits for a process without an end."""
    return {
        "distributed.scheduler.allowed-failures": 2,
        # Dask ends what starts a process again if the process is not there by this time after
        # any loss; on a busy machine a start takes as long
        "distributed.deploy.lost-worker-timeout": "365 days",
        "distributed.scheduler.no-workers-timeout": _WITHOUT_PROCESSES,
        # a paused process would get no items as long as its memory stays as it is
        "distributed.worker.memory.pause": False,
        "distributed.nanny.preload": [__name__],
        # its samples of the stack would take 0.1 MB for each recording, without a bound
        "distributed.worker.profile.enabled": False,
    }


def dask_setup(_nanny: object) -> None:
    """Block Ctrl-C, which a terminal sends to every process, in those that this thread starts.

    Dask runs this before it starts a process on this machine. They have the mask from their first
    instruction on; the command ends them. This thread itself loses nothing: Python handles signals
    in the main thread.
    """
    resource_tracker.ensure_running()  # its start, with the first process, would clear the mask
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _check_memory(memory: str) -> None:
    from dask.utils import parse_bytes  # noqa: PLC0415  an extra

    if memory == "auto":
        return
    try:
        size = parse_bytes(memory)
    except (ValueError, OverflowError):
        size = 0
    if size < _LEAST_MEMORY:
        raise ConfigurationError(
            f"a limit of memory of '{memory}' is not enough for a process; expected a size such as "
            f"2GB, and at least {_LEAST_MEMORY // 10**6} MB."
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress messages of Dask on connections: what they mean for the work is reported."""
    # Dask gives some of its loggers levels of their own
    known = [one for one in logging.root.manager.loggerDict if one.startswith("distributed.")]
    before = {one: one.level for one in map(logging.getLogger, ["distributed", *known])}
    for one in before:
        one.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for one, level in before.items():
            one.setLevel(level)


@contextmanager
def _connected(kind: type[Client], scheduler: str) -> Iterator[Client]:
    from distributed.comm.addressing import get_address_host_port  # noqa: PLC0415  an extra

    try:
        if not scheduler.startswith("inproc://"):  # which has no port
            get_address_host_port(scheduler)  # of a client without a valid one, parts would remain
        client = kind(scheduler, set_as_default=False)
    except Exception as problem:  # noqa: BLE001  of any protocol, which may be configured or not
        raise TaskError(f"{scheduler}: no scheduler answers ({problem}).") from None
    with client:
        _check_workers(client, scheduler)
        yield client


def _check_workers(client: Client, scheduler: str) -> None:
    """Raise a TaskError if there are no workers, or one has not this version of dynid.

    What a worker cannot import, Dask would wait for without an end.
    """
    # a function of the standard library, which every worker can import
    versions = client.run(metadata.version, "dynid", on_error="return")
    if not versions:
        message = f"{scheduler}: the scheduler has no workers; start some with 'dask worker'."
        raise TaskError(message)
    own = _own_version()
    for worker, version in versions.items():
        if version != own:
            has = "no dynid" if isinstance(version, Exception) else f"dynid {version}"
            raise TaskError(f"{scheduler}: the worker {worker} has {has}, expected dynid {own}.")


def _own_version() -> str:
    return metadata.version("dynid")


def completed(
    client: Client, function: Callable[..., Result], items: Iterable[tuple[Item, tuple[Any, ...]]]
) -> Iterator[tuple[Item, Result | WorkerLost]]:
    """Yield items with the results of ``function``, in the order in which they are done.

    An item of a process that ends is computed again by another one. Only a few items are on the
    cluster at a time.

    Args:
        client: of the cluster.
        function: without side effects, of a module that the workers have; what it raises is raised.
        items: each with the arguments of the function.

    Raises:
        TaskError: the scheduler ended, or its processes did and none could be started again.
    """
    from distributed import CancelledError  # noqa: PLC0415
    from distributed.scheduler import NoValidWorkerError, NoWorkerError  # noqa: PLC0415

    threads = sum(client.nthreads().values())
    suspects: list[tuple[Item, tuple[Any, ...]]] = []
    try:
        yield from _unordered(client, function, items, _AHEAD * max(threads, 1), suspects)
        # one of them ended the processes of all that were with it: each again, alone
        for one in suspects:
            again: list[tuple[Item, tuple[Any, ...]]] = []
            yield from _unordered(client, function, [one], 1, again)
            if again:
                yield one[0], WorkerLost()
    except (NoWorkerError, NoValidWorkerError) as problem:
        why = type(problem).__name__
        message = f"the processes of the cluster ended, and none could be started again ({why})."
        raise TaskError(message) from None
    except (CancelledError, OSError, TimeoutError) as problem:
        raise TaskError(f"the scheduler of the cluster ended ({type(problem).__name__}).") from None


def _unordered(
    client: Client,
    function: Callable[..., Result],
    items: Iterable[tuple[Item, tuple[Any, ...]]],
    ahead: int,
    suspects: list[tuple[Item, tuple[Any, ...]]],
) -> Iterator[tuple[Item, Result]]:
    """Yield items with their results; those whose processes ended are added to ``suspects``."""
    from distributed import Future, KilledWorker  # noqa: PLC0415

    waiting = iter(items)
    running: dict[Future[Any], tuple[Item, tuple[Any, ...]]] = {}
    # waited for outside Dask, where Ctrl-C may raise
    done: SimpleQueue[Future[Any]] = SimpleQueue()

    def submit(count: int) -> None:
        for one in islice(waiting, count):
            future = client.submit(function, *one[1], pure=False)
            running[future] = one
            future.add_done_callback(done.put)

    submit(ahead)
    while running:
        future = done.get()
        item, arguments = running.pop(future)
        try:
            result = future.result()
        except KilledWorker:
            suspects.append((item, arguments))
        else:
            yield item, result
        submit(1)
