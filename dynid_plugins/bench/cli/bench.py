"""``dynid bench``: every tool on every public recording that is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, output_file


def bench_command(
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of the recordings; default: a cache, filled."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="ROBOT", help="Recording to use; repeatable; default: all."),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Tools to fit, as plain,dynid; also file.py:NAME of your own; default: all.",
        ),
    ] = None,
    registry: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder with a recordings.yaml and splits.yaml of your own."
        ),
    ] = None,
    output: Annotated[Path | None, output_file(help="Write the results as an HTML page.")] = None,
    limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="Longest time of one fit.")
    ] = 600.0,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of results: those that are in it are not computed again, others added.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of tools that are fitted at the same time.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Compare tools on public recordings of real robots.

    Each tool is fitted to the same part of a recording, and evaluated on another one, which no tool
    has seen. Recordings and tools that are not there are skipped by name.
    """
    from dynid.files import check_folder, write_text
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.bench.evaluation import ToolErrors
    from dynid_plugins.bench.kept_results import check_kept, evaluate_kept
    from dynid_plugins.bench.page import bench_page
    from dynid_plugins.bench.printed import print_comparison, print_recording
    from dynid_plugins.bench.registry import OWN, public_recordings
    from dynid_plugins.bench.selection import available_recordings, available_tools, chosen

    if output is not None:
        check_folder(output)
    if keep is not None:
        check_kept(keep)
    wanted = chosen("--only", only, public_recordings(registry or OWN))
    found, tools_skipped = available_tools(tools.split(",") if tools else None)
    titles = {name: tool.with_versions() for name, tool in found.items()}
    console = result_console(as_json)
    results: list[ToolErrors] = []
    folder, there, skipped = available_recordings(wanted, data)
    for name, recording in there.items():
        with progress(console, steps=len(found)) as step, ThreadPoolExecutor(workers) as pool:
            evaluate = partial(evaluate_kept, keep, name, recording, folder, limit, step)
            results += pool.map(evaluate, found.items())
        print_recording(console, results[-len(found) :])
    skipped |= tools_skipped
    if output is not None:
        write_text(output, bench_page(there, found, results, skipped))
    if as_json:
        print_json({"errors": results, "tools": titles, "skipped": skipped})
        return
    print_comparison(console, results, titles, skipped)
    print_written(console, [output])
