"""A finding: one cause found in the data, with evidence and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from dynid.arrays import Array

Severity = Literal["problem", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "note")
"""In decreasing order: unusable model, reduced accuracy, information."""


@dataclass(frozen=True, eq=False)
class Trace:
    """One line, or one set of dots, of a plot; ``x`` and ``y`` are (N,)."""

    x: Array
    y: Array
    label: str
    style: Literal["line", "dots"] = "line"


@dataclass(frozen=True, eq=False)
class Plot:
    """Plot of a cause's evidence; axis labels include units."""

    x_label: str
    y_label: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True, eq=False)
class Finding:
    """One cause found in the data.

    Attributes:
        cause: its key in ``dynid.evaluation.diagnosis.causes.CAUSES``.
        joint: name of the joint; None if it concerns the whole recording.
        severity: "problem", "warning" or "note".
        sentence: the observation, with numbers and units.
        remedy: one sentence on what to do.
        evidence: numbers by name; the name includes the unit, such as "delay [s]".
        plot: of the evidence; None if there is none.
    """

    cause: str
    joint: str | None
    severity: Severity
    sentence: str
    remedy: str
    evidence: Mapping[str, float]
    plot: Plot | None = None

    def __repr__(self) -> str:
        """Return severity, cause, observation and remedy."""
        return f"{self.severity} ({self.cause}): {self.sentence} {self.remedy}"


def sentences(findings: Iterable[Finding]) -> list[str]:
    """Return observation and remedy of each finding except notes."""
    return [f"{one.sentence} {one.remedy}" for one in findings if one.severity != "note"]
