"""The public recordings of ``dynid bench``, for benchmarks that need more than its table.

None is part of this repository (docs/real-data.md says where each is from).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from dynid_plugins.bench.registry import PublicRecording, public_recordings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def recordings_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the options ``--data`` and ``--robots``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the recordings")
    parser.add_argument("--robots", nargs="*", default=list(public_recordings()))
    return parser


def present(folder: Path, names: list[str]) -> Iterator[tuple[str, PublicRecording]]:
    """Yield those of these recordings that are in the folder, by name; print why others are not."""
    for name, recording in public_recordings().items():
        if name not in names:
            continue
        if why := recording.missing(folder):
            print(f"{name}: {why}\n")
        else:
            yield name, recording
