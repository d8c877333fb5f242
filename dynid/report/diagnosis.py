"""The report's section on the diagnosis, and the separate page of ``dynid diagnose``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.evaluation.diagnosis.finding import grouped
from dynid.files import write_text
from dynid.report import svg
from dynid.report.pages import render
from dynid.report.svg import envelope, evenly
from dynid.text import significant

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from markupsafe import Markup

    from dynid.evaluation.diagnosis.finding import Finding, Plot
    from dynid.identification.diagnose import Diagnosis

_WIDTH, _HEIGHT = 11.4, 2.4  # [inch]
_BUCKETS = 600
_DOTS = 900
_COLOURS = (svg.MEASURED, svg.MODEL, svg.ERROR, svg.LIMIT, svg.INK)


def finding_rows(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the contents of the section for each finding."""
    return [
        {
            "severity": finding.severity,
            "cause": finding.cause.replace("_", " "),
            "sentence": finding.sentence,
            "remedy": finding.remedy,
            "evidence": [(name, significant(v, 3)) for name, v in finding.evidence.items()],
            "plot": None if finding.plot is None else _drawn(finding.plot, finding.cause, number),
        }
        for number, finding in enumerate(grouped(findings))
    ]


def write_diagnosis(diagnosis: Diagnosis, path: Path) -> None:
    """Write a diagnosis as one HTML file without external resources.

    Raises:
        OutputError: the file cannot be written.
    """
    content = {
        "title": f"{diagnosis.robot}: diagnosis of its recordings",
        "sources": diagnosis.sources,
        "found": len(diagnosis.found),
        "no_model": diagnosis.no_model,
        "findings": finding_rows(diagnosis.findings),
    }
    write_text(path, render("diagnosis.html.j2", content))


def _drawn(plot: Plot, cause: str, number: int) -> Markup:
    with svg.style(f"finding-{number}"):
        drawing = svg.figure(_WIDTH, _HEIGHT)
        axes = drawing.subplots()
        for index, trace in enumerate(plot.traces):
            colour = _COLOURS[index % len(_COLOURS)]
            if trace.style == "dots":
                rows = evenly(len(trace.x), _DOTS)
                axes.plot(trace.x[rows], trace.y[rows], ".", ms=3.5, mew=0, color=colour)
            else:
                axes.plot(*envelope(trace.x, trace.y, _BUCKETS), color=colour, lw=1.1)
            axes.lines[-1].set_label(trace.label)
        axes.set_xlabel(plot.x_label, parse_math=False)
        # beside its axis the text would be longer than the axis is high
        axes.set_title(plot.y_label, loc="left", fontsize="medium", parse_math=False)
        axes.margins(x=0.01)
        legend = axes.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=4, borderaxespad=0, markerscale=2
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        return svg.markup(drawing, f"Evidence of {cause.replace('_', ' ')}")
