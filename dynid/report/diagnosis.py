"""A diagnosis: in the report, as a page of its own, on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup
from rich.console import Console

from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace, grouped
from dynid.files import write_text
from dynid.identification.diagnose import Diagnosis
from dynid.json_text import json_fields
from dynid.recording.contradiction import Severity
from dynid.report.chart import Chart, Colour, Layer
from dynid.report.decimation import envelope, evenly
from dynid.report.pages import render
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.text import significant

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


_STYLES = {"problem": "bold red", "warning": "yellow", "note": ""}
_OPTIONS = {"unsigned_effort": " For one run: dynid identify … --unsigned-torque."}
"""Options that remedy what was found, beside the keys of a profile."""


def print_finding(
    console: Console, cause: str, severity: Severity, sentence: str, remedy: str
) -> None:
    """Print what was found, and what remedies it."""
    title = f"{severity}, {cause.replace('_', ' ')}"
    remedies = f"{remedy}{_OPTIONS.get(cause, '')}"
    print_sentences(console, title, [sentence, remedies], _STYLES[severity])


def print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Print each finding with its remedy, the worst first."""
    console = roomy(console)
    print_text(console, f"{diagnosis.robot}: diagnosis", "bold")
    if diagnosis.no_model is not None:
        print_sentences(console, "No model could be fitted", [diagnosis.no_model], "bold red")
    for finding in grouped(diagnosis.findings):
        print_finding(console, finding.cause, finding.severity, finding.sentence, finding.remedy)
    if diagnosis.reasons and not diagnosis.found:
        title = "No cause found, but the model fails"
        print_sentences(console, title, diagnosis.reasons, "bold red")
    elif not diagnosis.found:
        print_text(console, "No problem found.", "bold green")


def diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "robot": diagnosis.robot,
        "no_model": diagnosis.no_model,
        "reasons": list(diagnosis.reasons),
        "findings": [
            json_fields(
                finding, without=["plot", "corrections", "alternatives", "advice", "statement"]
            )
            | {
                "remedy": finding.remedy,
                "corrections": [correction.entry() for correction in finding.corrections],
                "alternatives": [
                    {"cause": cause, "joints": list(joints)}
                    for cause, joints in finding.alternatives
                ],
            }
            for finding in diagnosis.findings
        ],
    }
