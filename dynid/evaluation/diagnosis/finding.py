"""A finding: one cause found in the data, with evidence and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from dynid.arrays import Array
from dynid.recording.contradiction import Severity, remedy
from dynid.recording.corrections import Correction
from dynid.text import listed, significant


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
        joints: names of those concerned; () if it concerns the whole recording.
        severity: "problem", "warning" or "note".
        sentence: the observation, with numbers and units.
        advice: one sentence on what to do; "{joints}" and "{corrections}" stand for those below.
        evidence: numbers by name; the name includes the unit, such as "delay [s]".
        plot: of the evidence; None if there is none.
        corrections: of the recordings, that remove the cause; empty if there are none.
        settings: other keys of the profile with the values that remove the cause, such as gravity.
        alternatives: cause and joints of others that explain as much, if the data do not decide.
        statement: what it says of its joint, such as "plateau"; findings with the same one differ
            in joints and numbers only, and are shown as one. Empty for one that stands alone.
    """

    cause: str
    joints: tuple[str, ...]
    severity: Severity
    sentence: str
    advice: str
    evidence: Mapping[str, float] = field(default_factory=dict)
    plot: Plot | None = None
    corrections: tuple[Correction, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    alternatives: tuple[tuple[str, tuple[str, ...]], ...] = ()
    statement: str = ""

    @property
    def remedy(self) -> str:
        """What to do, with names of the joints and keys of the profile."""
        return remedy(self.advice, self.joints, self.corrections)

    @property
    def joint(self) -> str | None:
        """Name of the only joint concerned; None for several, or for the whole recording."""
        return self.joints[0] if len(self.joints) == 1 else None

    def __repr__(self) -> str:
        """Return severity, cause, observation and remedy."""
        return f"{self.severity} ({self.cause}): {self.sentence} {self.remedy}"


def sentences(findings: Iterable[Finding]) -> list[str]:
    """Return observation and remedy of each group of findings except notes."""
    return [
        f"{finding.sentence} {finding.remedy}"
        for finding in grouped(findings)
        if finding.severity != "note"
    ]


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge findings that state the same of several joints; the first one leads."""
    groups: dict[tuple[str, ...] | int, list[Finding]] = {}
    for number, finding in enumerate(findings):
        key = (finding.cause, finding.severity, finding.statement)
        groups.setdefault(key if finding.statement else number, []).append(finding)
    return tuple(group[0] if len(group) == 1 else _merged(group) for group in groups.values())


def _number(value: float) -> str:
    """Return three digits of a value, a count without decimals."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else significant(value, 3)


def _merged(group: list[Finding]) -> Finding:
    first, names = group[0], [listed(finding.joints) for finding in group]
    others = [
        f"{name} ({next(iter(finding.evidence))} {_number(next(iter(finding.evidence.values())))})"
        if finding.evidence
        else name
        for name, finding in zip(names[1:], group[1:], strict=True)
    ]
    return replace(
        first,
        joints=tuple(dict.fromkeys(name for finding in group for name in finding.joints)),
        sentence=f"{first.sentence} The same applies to {listed(others)}.",
        evidence={
            f"{name}: {key}": value
            for name, finding in zip(names, group, strict=True)
            for key, value in finding.evidence.items()
        },
        corrections=tuple(dict.fromkeys(one for finding in group for one in finding.corrections)),
    )
