"""Recordings with one altered byte: refused, reported, unchanged, or silently wrong."""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from dynid.configuration import parse
from dynid.errors import DynidError
from dynid.recording.bag_writer import BagWriter
from dynid.recording.columns import ColumnMap
from dynid.recording.load import load_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.recording.model import Recording

OUTCOMES = ("refused", "reported", "unchanged", "silent", "crashed")
"""Outcomes of an altered file: a DynidError; a result with a sentence that the original does not
cause; exactly the same numbers; other numbers without a sentence; any other exception."""

JOINTS = ("shoulder", "elbow")
SAMPLES, CHUNKS = 48, 8
_TYPES = get_typestore(Stores.ROS2_JAZZY)
_KIND = "sensor_msgs/msg/JointState"


@dataclass(frozen=True)
class Subject:
    """A kind of file to damage.

    Attributes:
        write: makes it in a folder; returns what to load and which file to alter.
        checksum: whether every number in it is under a checksum.
    """

    write: Callable[[Path], tuple[Path, Path]]
    checksum: bool


@dataclass
class Tally:
    """Outcomes of the alterations of one kind of file.

    Attributes:
        counts: alterations by outcome.
        not_finite: results that hold a number that is not finite.
        longest: longest time of one load [s].
        memory: by how much the process grew at most [MiB].
        examples: place, new byte and what happened, of what is silent or crashed.
    """

    counts: Counter[str] = field(default_factory=Counter)
    not_finite: int = 0
    longest: float = 0.0
    memory: float = 0.0
    examples: list[str] = field(default_factory=list)


def signals() -> dict[str, np.ndarray]:
    """Return time (N,) [s], position, velocity and effort (N, 2)."""
    stamps = np.arange(SAMPLES) * 10_000_000 + 1_700_000_000 * 10**9
    seconds = (stamps - stamps[0]) * 1e-9
    phase = 2 * np.pi * np.outer(seconds, [1.1, 1.7])
    return {
        "stamps": stamps,
        "time": seconds,
        "position": np.sin(phase),
        "velocity": 2 * np.pi * np.array([1.1, 1.7]) * np.cos(phase),
        "effort": 3.0 + np.cos(phase + 0.3),
    }


def messages() -> Iterator[tuple[int, bytes]]:
    """Yield stamps [ns] and serialized messages."""
    data = signals()
    types: Any = _TYPES.types
    for row, stamp in enumerate(data["stamps"].tolist()):
        sec, nanosec = divmod(stamp, 10**9)
        stamped = types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec)
        message = types[_KIND](
            header=types["std_msgs/msg/Header"](stamp=stamped, frame_id=""),
            name=list(JOINTS),
            position=data["position"][row],
            velocity=data["velocity"][row],
            effort=data["effort"][row],
        )
        yield stamp, bytes(_TYPES.serialize_cdr(message, _KIND))


def mcap_bag(folder: Path, *, closed: bool = True, compressed: bool = False) -> Path:
    """Write a bag as dynid does; return its storage file."""
    bag = BagWriter(folder / "bag", compressed=compressed)
    bag.add_topic("/joint_states", _KIND)
    for number, (stamp, message) in enumerate(messages(), start=1):
        bag.write("/joint_states", stamp, message)
        if number % (SAMPLES // CHUNKS) == 0:
            bag.flush()
    if closed:
        bag.close()
    return folder / "bag" / "bag.mcap"


def rosbags_bag(folder: Path, storage: StoragePlugin, ending: str) -> tuple[Path, Path]:
    """Write a bag as rosbags does, without any checksum."""
    with Writer(folder / "bag", version=9, storage_plugin=storage) as bag:
        connection = bag.add_connection("/joint_states", _KIND, typestore=_TYPES)
        for stamp, message in messages():
            bag.write(connection, stamp, message)
    return folder / "bag", folder / "bag" / f"bag.{ending}"


def _in_folder(file: Path) -> tuple[Path, Path]:
    return file.parent, file


def _metadata(folder: Path) -> tuple[Path, Path]:
    file = mcap_bag(folder)
    return file.parent, file.parent / "metadata.yaml"


def _npz(folder: Path) -> tuple[Path, Path]:
    file = folder / "log.npz"
    data = signals()
    names = ("time", "position", "velocity", "effort")
    arrays: dict[str, Any] = {name: data[name] for name in names}
    np.savez(file, joint_names=np.array(JOINTS), **arrays)
    return file, file


def _csv(folder: Path) -> tuple[Path, Path]:
    file = folder / "log.csv"
    data = signals()
    table = np.column_stack([data[n] for n in ("time", "position", "velocity", "effort")])
    np.savetxt(file, table, delimiter=",", fmt="%.17g")
    return file, file


SUBJECTS = {
    "MCAP folder": Subject(lambda folder: _in_folder(mcap_bag(folder)), checksum=True),
    "MCAP file": Subject(lambda folder: (mcap_bag(folder),) * 2, checksum=True),
    "MCAP file, zstd": Subject(lambda f: (mcap_bag(f, compressed=True),) * 2, checksum=True),
    "MCAP file, never closed": Subject(lambda f: (mcap_bag(f, closed=False),) * 2, checksum=True),
    "metadata.yaml": Subject(_metadata, checksum=True),
    "MCAP by rosbags": Subject(
        lambda folder: rosbags_bag(folder, StoragePlugin.MCAP, "mcap"), checksum=False
    ),
    "db3 by rosbags": Subject(
        lambda folder: rosbags_bag(folder, StoragePlugin.SQLITE3, "db3"), checksum=False
    ),
    "npz": Subject(_npz, checksum=True),
    "csv": Subject(_csv, checksum=False),
}

COLUMNS = parse(
    ColumnMap,
    {
        "time": {"column": 1},
        "joints": list(JOINTS),
        "position": {"columns": [2, 3]},
        "velocity": {"columns": [4, 5]},
        "effort": {"columns": [6, 7]},
    },
    "map.yaml",
)


def alter(name: str, mutations: int, seed: int) -> Tally:
    """Alter one byte of the original file at a time, and load the result."""
    warnings.simplefilter("ignore")
    random = np.random.default_rng([seed, list(SUBJECTS).index(name)])
    tally = Tally()
    with TemporaryDirectory() as folder:
        path, file = SUBJECTS[name].write(Path(folder))
        whole = file.read_bytes()
        expected = load_recording(path, JOINTS, columns=COLUMNS)
        before = _peak()
        for _ in range(mutations):
            place = int(random.integers(len(whole)))
            byte = (whole[place] + int(random.integers(1, 256))) % 256
            file.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
            start = time.perf_counter()
            outcome, text = _outcome(path, expected, tally)
            tally.longest = max(tally.longest, time.perf_counter() - start)
            tally.counts[outcome] += 1
            if outcome in ("silent", "crashed"):
                tally.examples.append(f"{name}, byte {place} to {byte:#04x}: {text}")
        tally.memory = _peak() - before
        shutil.rmtree(path, ignore_errors=True)
    return tally


def _outcome(path: Path, expected: Recording, tally: Tally) -> tuple[str, str]:
    try:
        found = load_recording(path, JOINTS, columns=COLUMNS)
    except DynidError as error:
        return "refused", str(error)
    except Exception as error:  # noqa: BLE001  what is looked for
        return "crashed", repr(error)
    signals = ("time", "position", "velocity", "effort")
    given = [getattr(found, one) for one in signals]
    tally.not_finite += not all(np.isfinite(one).all() for one in given if one is not None)
    same = all(
        np.array_equal(one, getattr(expected, name))
        for one, name in zip(given, signals, strict=True)
        if one is not None
    ) and (found.velocity is None) == (expected.velocity is None)
    if found.repairs != expected.repairs:
        return "reported", ""
    return ("unchanged", "") if same else ("silent", f"{len(found.time)} samples")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Alter every kind of file, each in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=10_000, help="altogether")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--examples", type=int, default=5, help="of each kind, to print")
    options = parser.parse_args()
    each = -(-options.mutations // len(SUBJECTS))
    heads = (*OUTCOMES, "not finite", "longest", "memory")
    print(f"{'':24}" + "".join(f"{head:>11}" for head in heads))
    sums: Counter[str] = Counter()
    examples = []
    for name, subject in SUBJECTS.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            tally = pool.apply(alter, (name, each, options.seed))
        mark = " *" if subject.checksum else ""
        print(
            f"{name + mark:24}"
            + "".join(f"{tally.counts[outcome]:11}" for outcome in OUTCOMES)
            + f"{tally.not_finite:11}{tally.longest:9.2f} s{tally.memory:7.0f} MiB"
        )
        sums.update(tally.counts)
        examples += tally.examples[: options.examples]
    print(f"{'altogether':24}" + "".join(f"{sums[outcome]:11}" for outcome in OUTCOMES))
    print("* every number in it is under a checksum")
    print("\n".join(examples))


if __name__ == "__main__":
    main()
