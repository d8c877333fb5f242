"""A fleet of simulated SCARAs on one and two processes, and after processes are killed.

    python benchmarks/fleet_scaling.py [--robots 100] [--days 30] [--samples 2000]

Recordings are simulated once, in a temporary folder: a few seconds of one motion, with other noise
and other friction each day. Prints recordings per second with one and two workers, processor time
of a recording, the largest memory of a worker, and the rows that are lost or doubled after a worker
and a scheduler are killed. Wall-clock times are those of the machine as it is: what else runs on it
slows them.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dynid.errors import TaskError
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid_plugins.fleet.dataset import load
from dynid_plugins.fleet.engine import cluster
from dynid_plugins.fleet.identify import FleetRun, identify_fleet
from dynid_plugins.fleet.settings import Fleet

_ROBOT = "scara"
Progress = Callable[[int, int], None]


def write_recordings(folder: Path, robots: int, days: int, samples: int) -> Path:
    """Write the recordings of each robot and day, and return the path of fleet.yaml."""
    robot = load_robot(_ROBOT, overrides=["excitation.periods=1"])
    settings = robot.settings(SimulationSettings)
    motion = make_plan(robot).excitation
    random = np.random.default_rng(0)
    for number in range(robots):
        place = folder / "recordings" / f"scara_{number:03d}"
        place.mkdir(parents=True)
        for day in range(days):
            warmth = 1 + 0.05 * random.standard_normal()
            values = {
                name: value * (warmth if name[:2] in ("Fv", "Fc") else 1.0)
                for name, value in settings.parameters.items()
            }
            today = robot.with_settings(settings.model_copy(update={"parameters": values}))
            found = simulate(today, motion, seed=1000 * number + day)
            step = max(1, len(found.time) // samples)
            np.savez(
                place / f"{day:02d}.npz",
                time=found.time[::step],
                position=found.position[::step],
                effort=found.effort[::step],
                joint_names=np.array(found.joint_names),
            )
    path = folder / "fleet.yaml"
    path.write_text(
        f"types: {{{_ROBOT}: {{profile: {_ROBOT}, recordings: 'recordings/{{robot}}/*.npz'}}}}\n"
    )
    return path


def used() -> tuple[float, float]:
    """Return processor time [s] and largest memory [MB] of the process that calls it."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime, spent.ru_maxrss / 1024


def measure(path: Path, workers: int) -> dict[str, float]:
    """Identify everything anew, and return what it took."""
    shutil.rmtree(Fleet(path).data_set, ignore_errors=True)
    with cluster(workers=workers) as client:
        before = client.run(used)
        run = identify_fleet(Fleet(path), client)
        after = client.run(used)
    cpu = sum(after[one][0] - before[one][0] for one in after)
    return {
        "recordings": run.identified + run.failed,
        "failed": run.failed,
        "seconds": run.seconds,
        "cpu": cpu,
        "memory": max(memory for _, memory in after.values()),
    }


def scaling(path: Path) -> None:
    """Print rates with one and two workers."""
    rates = []
    for workers in (1, 2):
        found = measure(path, workers)
        rates.append(found["recordings"] / found["seconds"])
        each = found["cpu"] / found["recordings"]
        print(
            f"{workers} workers: {found['recordings']:.0f} recordings ({found['failed']:.0f} "
            f"failed) in {found['seconds']:.1f} s, {rates[-1]:.2f} per second, "
            f"{each:.3f} s processor time each, a worker at most {found['memory']:.0f} MB; "
            f"share of the time that workers had a processor: "
            f"{found['cpu'] / found['seconds'] / workers:.2f}",
            flush=True,
        )
        print(f"  1000 robots, one recording each: {1000 / rates[-1] / 60:.1f} min", flush=True)
    print(f"1 -> 2 workers: {rates[1] / rates[0]:.2f} times the rate; ideal 2", flush=True)


@contextmanager
def commands(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Yield the address of a scheduler, and its process and those of two workers."""
    file = folder / f"scheduler-{time.monotonic_ns()}.json"
    base = [sys.executable, "-m"]
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "start_new_session": True,
    }
    schedule = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    work = ["distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1"]
    started = [
        subprocess.Popen(
            [*base, *schedule, "--no-dashboard", "--scheduler-file", str(file)], **quiet
        )
    ]
    try:
        started += [subprocess.Popen([*base, *work, "--no-dashboard"], **quiet) for _ in range(2)]
        yield _address(file), started
    finally:
        for one in started:
            kill(one)


def _address(file: Path) -> str:
    """Return the address of a scheduler that has two workers."""
    from distributed import Client

    while not file.exists():
        time.sleep(0.1)
    with Client(scheduler_file=str(file), set_as_default=False, timeout="120s") as client:
        client.wait_for_workers(2)
        return str(client.scheduler.address)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run(path: Path, address: str, progress: Progress) -> FleetRun | None:
    """Identify what is not done; None if the scheduler ended."""
    try:
        with cluster(address) as client:
            return identify_fleet(Fleet(path), client, progress=progress)
    except TaskError as problem:
        print(f"  {problem}")
        return None


def at_a_third(process: subprocess.Popen[bytes]) -> Progress:
    """Return what kills a process when a third of the recordings is done."""

    def progress(done: int, count: int) -> None:
        if done == max(1, count // 3):
            kill(process)

    return progress


def killed(path: Path, expected: int) -> None:
    """Print what is lost and doubled if a worker is killed, and then a scheduler."""
    for title, victim in (("worker", 1), ("scheduler", 0)):
        shutil.rmtree(Fleet(path).data_set, ignore_errors=True)
        with commands(path.parent) as (address, processes):
            found = run(path, address, at_a_third(processes[victim]))
        if found is None:
            with commands(path.parent) as (address, _):
                found = run(path, address, lambda _done, _all: None)
        unchanged = "" if found is None else f", {found.unchanged} not done again"
        results = load(Fleet(path).data_set)
        rows = Counter(results.recordings["recording"].to_pylist())
        parameters = Counter(
            zip(
                *(results.parameters[one].to_pylist() for one in ("recording", "parameter")),
                strict=True,
            )
        )
        print(
            f"{title} killed at a third: recordings {len(rows)} of {expected}{unchanged}; rows "
            f"lost {expected - len(rows)}, doubled {rows.total() - len(rows)} (parameters "
            f"{parameters.total() - len(parameters)})",
            flush=True,
        )


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--samples", type=int, default=2000, help="of a recording")
    parser.add_argument("--parts", nargs="+", default=["scaling", "killed"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = write_recordings(Path(folder), options.robots, options.days, options.samples)
        load_average = os.getloadavg()[0]
        print(
            f"{options.robots} robots, {options.days} days; {os.cpu_count()} processors, on which "
            f"{load_average:.0f} processes were running already (load of the last minute)"
        )
        if "scaling" in options.parts:
            scaling(path)
        if "killed" in options.parts:
            killed(path, options.robots * options.days)


if __name__ == "__main__":
    main()
