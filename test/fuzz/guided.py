"""``python -m fuzz.guided SECONDS``: atheris, which searches for inputs that reach new code.

It mutates by bytes and by fuzz.mutation, in a process for each reader. What it saves as
``crash-…`` in build/fuzz is a file with which its reader has a fault.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["dynid", "yaml", "rosbags"]):
    from fuzz.case import Seeds, run
    from fuzz.corpus import make_corpus
    from fuzz.mutation import mutated
    from fuzz.targets import TARGETS

_MEGABYTES = 3000
_SECONDS = 60  # for a case


def main() -> int:
    """Run every reader for its share of the time; return 1 where one has a fault."""
    seconds, save = float(sys.argv[1]), Path("build/fuzz")
    save.mkdir(parents=True, exist_ok=True)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder))
        for target in sys.argv[2:] or TARGETS:
            share = max(1, int(seconds / len(sys.argv[2:] or TARGETS)))
            command = [sys.executable, "-m", "fuzz.guided", "--reader", target, folder, f"{share}"]
            with (save / f"guided-{target}.log").open("w") as log:
                ended = subprocess.run(command, stdout=log, stderr=log, check=False)
            text = (save / f"guided-{target}.log").read_text(errors="replace")
            cases = [line for line in text.splitlines() if line.startswith("Done ")]
            result = cases[0] if cases else f"a fault: {save}/guided-{target}.log"
            sys.stdout.write(f"{target}: {result}\n")
            failed += [target] if ended.returncode else []
    return 1 if failed else 0


def _reader(target: str, folder: Path, seconds: str) -> None:
    seeds = Seeds.of(folder, target)
    with tempfile.TemporaryDirectory() as work:

        def one(data: bytes) -> None:
            # the first byte chooses the name, on whose ending the reader depends
            name = seeds.names[data[0] % len(seeds.names)] if data else seeds.names[0]
            file = Path(work) / name
            file.write_bytes(data[1:])
            outcome = run(target, file, folder)
            if outcome.kind == "fault":
                raise RuntimeError(f"{target}: {outcome.signature}")

        def mutate(data: bytes, most: int, seed: int) -> bytes:
            random = Random(seed)
            if random.random() < 0.3:
                return bytes(atheris.Mutate(data, most))
            return (data[:1] + mutated(data[1:], random, seeds.contents))[:most]

        start = Path(work) / "seeds"
        start.mkdir()
        for number, content in enumerate(seeds.contents):
            (start / str(number)).write_bytes(bytes([number]) + content)
        bounds = [f"-max_total_time={seconds}", f"-rss_limit_mb={_MEGABYTES}"]
        bounds += [f"-timeout={_SECONDS}", "-max_len=100000"]
        bounds.append(f"-artifact_prefix=build/fuzz/{target}-")
        atheris.Setup([sys.argv[0], *bounds, str(start)], one, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1] == "--reader":
        _reader(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
    else:
        raise SystemExit(main())
