"""A diagnosis on a terminal, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.evaluation.diagnosis.finding import grouped
from dynid.json_text import json_fields
from dynid.report.terminal.commands import with_option
from dynid.report.terminal.console import print_sentences, print_text, roomy

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.identification.diagnose import Diagnosis

_STYLES = {"problem": "bold red", "warning": "yellow", "note": ""}


def print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Print each finding with its remedy, the worst first."""
    console = roomy(console)
    print_text(console, f"{diagnosis.robot}: diagnosis", "bold")
    if diagnosis.no_model is not None:
        print_sentences(console, "No model could be fitted", [diagnosis.no_model], "bold red")
    for finding in grouped(diagnosis.findings):
        title = f"{finding.severity}, {finding.cause.replace('_', ' ')}"
        sentences = [finding.sentence, with_option(finding.cause, finding.remedy)]
        print_sentences(console, title, sentences, _STYLES[finding.severity])
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
