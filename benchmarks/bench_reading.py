"""Reading long recordings: speed by CPU time against numpy.loadtxt and bare ``mcap``, and memory.

    python benchmarks/bench_reading.py [--rows 1000000] [--seconds 3600]

A CSV file of 13 columns (time, position and effort of six joints; ``--rows``) and an uncompressed
MCAP file of six joints at 1 kHz (``--seconds``) are written to a temporary folder. References of
the same run: ``numpy.loadtxt`` on the first tenth of the CSV file, and the iteration over all
messages of the MCAP file by ``mcap``, which decodes none of them. MB are millions of bytes of the
file, CPU time is that of all threads. Memory is the peak of a process that only reads; ``result``
is the part of it that the arrays of the recording take, ``imports`` what it took before.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mcap.reader import make_reader
from swing import Swing

from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.convert import write_bag
from dynid.recording.load import load_recording
from dynid.recording.model import Recording

_JOINTS, _RATE = tuple(f"joint_{number}" for number in range(1, 7)), 1000.0
_WARM_UP, _SHARE = 20_000, 10
_COLUMNS = ColumnMap(
    time=TimeColumn(column=1),
    joints=_JOINTS,
    position=SignalColumns(columns=tuple(range(2, 8))),
    effort=SignalColumns(columns=tuple(range(8, 14))),
)


def swinging(samples: int) -> Recording:
    """Six joints that swing at 1 kHz; the effort is their acceleration."""
    clock = np.arange(samples) / _RATE
    q, dq, ddq = Swing(len(_JOINTS), highest_hz=1.0).at(clock)
    return Recording(
        time=clock, position=q, velocity=dq, effort=ddq, joint_names=_JOINTS, sampling_rate=_RATE
    )


def write_csv(path: Path, rows: int) -> None:
    """Write time, position and effort, nine digits each."""
    one = swinging(rows)
    table = np.column_stack((one.time, one.position, one.effort))
    np.savetxt(path, table, fmt="%.9g", delimiter=",")


def write_mcap(folder: Path, samples: int) -> Path:
    """Write a bag as the recorder does, and return its file."""
    write_bag(swinging(samples), folder)
    return next(folder.glob("*.mcap"))


def read(path: Path) -> Recording:
    """Read one of the files as ``dynid`` does."""
    return load_recording(path, _JOINTS, columns=_COLUMNS if path.suffix == ".csv" else None)


def first_lines(path: Path, count: int) -> int:
    """Read the first lines by ``numpy.loadtxt``; return their size [bytes]."""
    np.loadtxt(path, delimiter=",", max_rows=count)
    with path.open("rb") as file:
        return sum(len(line) for line in itertools.islice(file, count))


def messages(path: Path) -> int:
    """Iterate over all messages by ``mcap``; return the size of the file [bytes]."""
    with path.open("rb") as file:
        for _ in make_reader(file).iter_messages():
            pass
    return path.stat().st_size


def speed(task: Callable[[], int]) -> float:
    """Millions of bytes in a second of CPU time."""
    start = time.process_time()
    size = task()
    return size / 1e6 / (time.process_time() - start)


def memory(path: Path) -> str:
    """Return peak, result and imports of a process that reads a file."""
    command = [sys.executable, __file__, "--memory-of", str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def print_memory(path: Path) -> None:
    """Read a file and print the memory that it took."""
    before = _peak()
    found = read(path)
    arrays = (found.time, found.position, found.velocity, found.effort)
    result = sum(one.nbytes for one in arrays if one is not None) / 1e6
    print(f"peak {_peak():.0f} MB, of which result {result:.0f} MB and imports {before:.0f} MB")


def _peak() -> float:
    """Peak memory of this process [MB]; getrusage would count that of its parent as well."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1.024e-3


def show(name: str, path: Path, reference: str, bare: Callable[[], int]) -> None:
    """Print the two speeds of a file, their ratio, and the memory."""
    theirs = speed(bare)

    def all_of_it() -> int:
        read(path)
        return path.stat().st_size

    ours = speed(all_of_it)
    print(f"{name}, {path.stat().st_size / 1e6:.0f} MB")
    print(f"  {reference:28s} {theirs:7.1f} MB/s")
    print(f"  {'dynid':28s} {ours:7.1f} MB/s   {ours / theirs:.1f} x as fast")
    print(f"  memory: {memory(path)}", flush=True)


def main() -> None:
    """Write both files, read them, and print speed and memory."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the CSV file")
    parser.add_argument("--seconds", type=int, default=3600, help="of the MCAP file")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory_of is not None:
        print_memory(given.memory_of)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, table = folder / "small.csv", folder / "table.csv"
        write_csv(small, _WARM_UP)
        read(small)  # imports, which do not count
        read(write_mcap(folder / "small", _WARM_UP))
        write_csv(table, given.rows)
        part = given.rows // _SHARE
        title = f"CSV, {given.rows} rows x {1 + 2 * len(_JOINTS)} columns"
        show(title, table, f"numpy.loadtxt, {part} rows", lambda: first_lines(table, part))
        table.unlink()
        bag = write_mcap(folder / "bag", round(given.seconds * _RATE))
        title = f"MCAP, {given.seconds} s of {len(_JOINTS)} joints at {_RATE:.0f} Hz"
        show(title, bag, "mcap, messages not decoded", lambda: messages(bag))


if __name__ == "__main__":
    main()
