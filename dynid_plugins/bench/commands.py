"""The command of the benchmark, as the list of commands shows it."""

from __future__ import annotations

from dynid.cli.command_table import MODELS, CommandEntry

BENCH = CommandEntry(
    MODELS,
    "dynid_plugins.bench.cli.bench",
    "bench_command",
    "Compare tools on public recordings of real robots.",
)
