"""The report's section on the diagnosis, and the separate page of ``dynid diagnose``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.evaluation.diagnosis.finding import grouped
from dynid.files import write_text
from dynid.report.chart import Chart, Colour, Layer
from dynid.report.decimation import envelope, evenly
from dynid.report.pages import render
from dynid.text import significant

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from markupsafe import Markup

    from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
    from dynid.identification.diagnose import Diagnosis

_BUCKETS = 600
_DOTS = 900
_COLOURS: tuple[Colour, ...] = ("measured", "model", "error", "limit", "ink")


def finding_rows(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the contents of the section for each finding."""
    return [
        {
            "severity": finding.severity,
            "cause": finding.cause.replace("_", " "),
            "sentence": finding.sentence,
            "remedy": finding.remedy,
            "evidence": [(name, significant(v, 3)) for name, v in finding.evidence.items()],
            "plot": None if finding.plot is None else _drawn(finding.plot, finding.cause),
        }
        for finding in grouped(findings)
    ]


def write_diagnosis(diagnosis: Diagnosis, path: Path) -> None:
    """Write a diagnosis as one HTML file without external resources.

    Raises:
        WriteError: the file cannot be written.
    """
    content = {
        "title": f"{diagnosis.robot}: diagnosis of its recordings",
        "sources": diagnosis.sources,
        "found": len(diagnosis.found),
        "no_model": diagnosis.no_model,
        "reasons": diagnosis.reasons,
        "findings": finding_rows(diagnosis.findings),
    }
    write_text(path, render("diagnosis.html.j2", content))


def _drawn(plot: Plot, cause: str) -> Markup:
    return Chart(
        description=f"Evidence of {cause.replace('_', ' ')}",
        x_label=plot.x_label,
        y_label=plot.y_label,
        layers=tuple(
            _layer(trace, _COLOURS[index % len(_COLOURS)])
            for index, trace in enumerate(plot.traces)
        ),
        wide=True,
    ).markup()


def _layer(trace: Trace, colour: Colour) -> Layer:
    if trace.style == "dots":
        rows = evenly(len(trace.x), _DOTS)
        return Layer(trace.x[rows], trace.y[rows], colour, "dots", trace.label)
    return Layer(*envelope(trace.x, trace.y, _BUCKETS), colour, label=trace.label)
