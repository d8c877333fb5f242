"""Reading a large YAML file: dynid's bounded loader, PyYAML's own, and ruamel.yaml's.

The file has the given number of keys, in small groups like those of a model.yaml. Each way
runs in a process of its own; memory is what that process grew by.

Run: python benchmarks/yaml_loaders.py [keys, default 60000]
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Callable

import yaml
from ruamel.yaml import YAML
from ruamel.yaml import __version__ as ruamel_version

from dynid.yaml_text import load_yaml

_WAYS: dict[str, Callable[[str], object]] = {
    "dynid": lambda text: load_yaml(text, "a benchmark"),
    "PyYAML, CSafeLoader": lambda text: yaml.load(text, yaml.CSafeLoader),
    "PyYAML, SafeLoader": yaml.safe_load,
    f"ruamel.yaml {ruamel_version}, safe": lambda text: YAML(typ="safe", pure=True).load(text),
    f"ruamel.yaml {ruamel_version}, round-trip": lambda text: YAML().load(text),
}


def large_text(keys: int) -> str:
    """Return YAML with so many keys."""
    numbers = random.Random(0)  # noqa: S311
    rows = "".join(
        f"      p{row}: {{value: {numbers.random()!r}, deviation: {numbers.random():.3e}, "
        "unit: 'kg*m^2'}\n"
        for row in range(keys // 4)
    )
    return f"/**:\n  ros__parameters:\n    model:\n{rows}"


def measured(way: str, text: str) -> tuple[float, float]:
    """Return the CPU time [s] and the memory [MB] of a way."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    _WAYS[way](text)
    seconds = time.process_time() - begun
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Print a row for each way."""
    text = large_text(int(sys.argv[1]) if len(sys.argv) > 1 else 60_000)
    print(f"{len(text) / 1e6:.1f} MB, {text.count(':') - 3} keys")
    print("loader                             CPU [s]   memory [MB]")
    for way in _WAYS:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, memory = pool.apply(measured, (way, text))
        print(f"{way:<32}  {seconds:>8.2f}  {memory:>12.0f}", flush=True)


if __name__ == "__main__":
    main()
