"""A sine excitation as a table: cycles, peak speeds and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console

from dynid.configuration import per_joint
from dynid.excitation.build import described_excitation
from dynid.excitation.limits import sample_peaks
from dynid.excitation.settings import SineSettings
from dynid.excitation.sine import Repetition, repetition
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.robot.limits import Limits
from dynid.text import percent, significant


class SineRow(NamedTuple):
    """The motion of a joint.

    Attributes:
        joint: its name.
        start, target: [rad or m].
        frequency: [Hz].
        cycles: between the ramps.
        speed: the highest, ramps included [rad/s or m/s].
        share: of the velocity limit; None without a limit.
    """

    joint: str
    start: float
    target: float
    frequency: float
    cycles: float
    speed: float
    share: float | None


def sine_rows(settings: SineSettings, limits: Limits, joints: Sequence[str]) -> list[SineRow]:
    """Return the motion of each joint in a sine excitation, within its limits or not.

    Raises:
        ConfigurationError: settings and joints do not fit.
    """
    peaks = sample_peaks(described_excitation(settings, limits, joints))
    speeds = abs(peaks.motion.velocity).max(axis=0).tolist()
    start, target, frequency = (
        per_joint(getattr(settings, name), len(joints), name).tolist()
        for name in ("start", "target", "frequency")
    )
    rows = []
    for j, joint in enumerate(joints):
        allowed = limits.range_of("velocity", j)
        share = None if allowed is None else speeds[j] / allowed[1]
        cycles = frequency[j] * settings.duration
        rows.append(SineRow(joint, start[j], target[j], frequency[j], cycles, speeds[j], share))
    return rows


def sine_repetition(settings: SineSettings, joints: Sequence[str]) -> Repetition:
    """Return when the joints of a sine excitation that move repeat their motion.

    Raises:
        ConfigurationError: settings and joints do not fit.
    """
    start, target, frequency = (
        per_joint(getattr(settings, name), len(joints), name)
        for name in ("start", "target", "frequency")
    )
    moving = [j for j in range(len(joints)) if start[j] != target[j]]
    return repetition(
        [float(frequency[j]) for j in moving], settings.duration, [joints[j] for j in moving]
    )


def print_sine(
    console: Console, settings: SineSettings, limits: Limits, joints: Sequence[str]
) -> None:
    """Print frequencies, cycles, peak speeds, repetition and warnings.

    Raises:
        ConfigurationError: settings and joints do not fit.
    """
    console = roomy(console)
    title = f"Sine excitation: {settings.duration:g} s and two ramps of {settings.ramp:g} s"
    print_text(console, title, "bold")
    rows = table("joint", "start", "target", "[Hz]", "cycles", "peak speed", "of limit")
    for row in sine_rows(settings, limits, joints):
        numbers = [
            significant(value, 3)
            for value in (row.start, row.target, row.frequency, row.cycles, row.speed)
        ]
        share = "–" if row.share is None else percent(row.share)
        rows.add_row(row.joint, *(*numbers, share))
    console.print(rows)
    repetition = sine_repetition(settings, joints)
    print_sentences(console, "Repetition", repetition_sentences(repetition), "")
    print_sentences(console, "Warnings", repetition.findings, "yellow")


def repetition_sentences(repetition: Repetition) -> list[str]:
    """Return sentences on the repetition of the first two joints and of the whole motion."""
    first, whole = repetition.first, repetition.whole
    sentences = []
    if first is not None:
        sentences.append(f"The first two joints repeat after {first} ({first.time:.4g} s).")
    if whole is None:
        sentences.append("The whole motion does not repeat within a practical time.")
    else:
        numbers = ", ".join(str(cycles) for cycles in whole.cycles)
        sentences.append(
            f"The whole motion repeats after {whole.time:.4g} s: frequencies are "
            f"{1 / whole.time:.4g} Hz × {{{numbers}}}; change the common factor to make it faster "
            "or slower."
        )
    return sentences
