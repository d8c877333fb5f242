"""The page of a benchmark: one HTML file, offline, with sortable tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import numpy as np

from dynid.report.chart import Chart, Colour, Layer, grid
from dynid.report.pages import render
from dynid_plugins.bench.contenders.interface import Contender
from dynid_plugins.bench.evaluation import ToolErrors
from dynid_plugins.bench.printed import number
from dynid_plugins.bench.registry import PublicRecording

_OVER_BEST = 1.02  # a tool within 2 % of the best one is first as well
_COLOURS: Mapping[str, Colour] = {"plain": "error", "shipped": "limit", "dynid": "model"}


def bench_page(
    recordings: Mapping[str, PublicRecording],
    tools: Mapping[str, Contender],
    results: Sequence[ToolErrors],
    skipped: Mapping[str, str],
) -> str:
    """Return the text of the page."""
    found = {(one.recording, one.tool): one for one in results}
    compared = [name for name, tool in tools.items() if not tool.learned]
    first = set()
    for name in recordings:
        errors = {tool: found[name, tool].held_out for tool in compared}
        best = min((error for error in errors.values() if isfinite(error)), default=nan)
        first |= {(name, tool) for tool, error in errors.items() if error <= _OVER_BEST * best}
    return render(
        "page.html.j2",
        {
            "title": "Identification of robots: public recordings, every tool",
            "recordings": recordings,
            "tools": tools,
            "found": found,
            "first": first,
            "results": [one for one in results if not one.problem],
            "problems": [one for one in results if one.problem],
            "skipped": skipped,
            "plots": grid([one for name in recordings for one in _plots(name, tools, found)]),
            "percent": lambda share: number(100 * share),
            "number": number,
            "value": lambda share: share if isfinite(share) else "NaN",
        },
        scripts=["tables.js"],
        package="dynid_plugins.bench",
    )


def _plots(
    name: str, tools: Mapping[str, Contender], found: Mapping[tuple[str, str], ToolErrors]
) -> list[Chart]:
    """Return errors held out of each joint: dynid and the plain script in colour, others grey.

    There is none of a robot with one joint.
    """
    behind = [tool for tool in tools if tool not in _COLOURS]
    layers = []
    for tool in (*behind, *_COLOURS):
        joints = found[name, tool].joints if tool in tools else ()
        if len(joints) > 1:
            layers.append(
                Layer(
                    np.arange(1.0, len(joints) + 1),
                    100 * np.array(joints),
                    _COLOURS.get(tool, "measured"),
                    label=tool if tool in _COLOURS else "",
                    wide=tool == "dynid",
                )
            )
    chart = Chart(
        f"Relative torque errors of every joint of {name}, held out",
        "joint",
        "error [%]",
        tuple(layers),
        title=name,
        log="y",
    )
    return [chart] if layers else []
