"""One case, defined by a reader, a seed and a number: run and evaluated."""

from __future__ import annotations

import gc
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from fuzz.mutation import mutated
from fuzz.targets import EXPECTED, TARGETS

LONGEST_MESSAGE = 4000


@dataclass(frozen=True)
class Seeds:
    """Good files of a reader, by name."""

    names: tuple[str, ...]
    contents: tuple[bytes, ...]

    @classmethod
    def of(cls, folder: Path, target: str) -> Seeds:
        files = sorted((folder / target).iterdir())
        return cls(tuple(one.name for one in files), tuple(one.read_bytes() for one in files))


def case(seeds: Seeds, target: str, seed: int, number: int) -> tuple[str, bytes]:
    """Name and content of a case's file; the first of each seed's are the good files themselves."""
    if number < len(seeds.names):
        return seeds.names[number], seeds.contents[number]
    random = Random(f"{target} {seed} {number}")
    chosen = random.randrange(len(seeds.names))
    return seeds.names[chosen], mutated(seeds.contents[chosen], random, seeds.contents)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a case.

    Attributes:
        kind: ``accepted``, ``refused`` (with a DynidError), or ``fault``.
        signature: of a fault: its type, and where it arose; the same for the same fault.
        seconds: of the processor.
    """

    kind: str
    signature: str
    seconds: float


def run(target: str, file: Path, folder: Path) -> Outcome:
    """Read a file, and evaluate the outcome."""
    begun = time.process_time()
    try:
        with np.errstate(all="ignore"):
            numbers = list(TARGETS[target].read(file, folder))
        fault = "" if all(np.isfinite(one).all() for one in numbers) else "numbers are not finite"
        kind = "accepted"
    except EXPECTED as error:
        kind, fault = "refused", _fault_of_sentence(str(error))
    except Exception as error:
        kind, fault = "fault", _signature(error)
        del error
    seconds = time.process_time() - begun
    return Outcome("fault" if fault else kind, fault, seconds)


def _fault_of_sentence(text: str) -> str:
    if not text.strip():
        return "an empty message"
    if len(text) > LONGEST_MESSAGE:
        return f"a message of more than {LONGEST_MESSAGE} characters: {text[:50]!r}"
    if "\x1b" in text:
        return f"a message with control characters: {text[:50]!r}"
    return ""


def _signature(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "/dynid/" in one.filename] or list(frames)
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return f"{type(error).__name__} at {place}"


def collect() -> None:
    """Free what a fault's traceback held."""
    gc.collect()
