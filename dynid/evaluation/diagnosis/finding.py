"""A finding: one cause seen in the data, with its evidence and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from dynid.arrays import Array

Severity = Literal["problem", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "note")
"""From what makes a model useless, over what makes it worse, to what is good to know."""


@dataclass(frozen=True, eq=False)
class Trace:
    """One line, or one cloud of dots, of a plot; ``x`` and ``y`` are (N,)."""

    x: Array
    y: Array
    label: str
    style: Literal["line", "dots"] = "line"


@dataclass(frozen=True, eq=False)
class Plot:
    """What a cause draws as its evidence; axis labels carry their units."""

    x_label: str
    y_label: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True, eq=False)
class Finding:
    """One cause that the data show.

    Attributes:
        cause: its key in ``dynid.evaluation.diagnosis.causes.CAUSES``.
        joint: name of the joint it concerns; None where it concerns the recording as a whole.
        severity: how much it matters.
        sentence: what was seen, with numbers and units.
        remedy: one sentence on what to do.
        evidence: the numbers behind it; a name carries its unit where there is one: "delay [s]".
        plot: what shows it, if a plot does.
    """

    cause: str
    joint: str | None
    severity: Severity
    sentence: str
    remedy: str
    evidence: Mapping[str, float]
    plot: Plot | None = None

    def __repr__(self) -> str:
        """Severity, cause, and what to do."""
        return f"{self.severity} ({self.cause}): {self.sentence} {self.remedy}"


def sentences(findings: Iterable[Finding]) -> list[str]:
    """What was seen and what to do about it, of all but notes."""
    return [f"{one.sentence} {one.remedy}" for one in findings if one.severity != "note"]
