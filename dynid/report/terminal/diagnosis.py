"""A diagnosis on a terminal, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.evaluation.diagnosis.finding import grouped
from dynid.json_text import json_fields
from dynid.report.terminal.console import print_sentences, print_text, roomy

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.identification.diagnose import Diagnosis
    from dynid.recording.contradiction import Severity

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
