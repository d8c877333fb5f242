"""The results of tasks as tables on a terminal that also read well in a pipe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from rich.console import Console

from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.joint_errors import JointErrors
from dynid.identification.friction.selection import FrictionSelection
from dynid.identification.quantities import Quantity
from dynid.identification.result import Identification
from dynid.identification.torque_signs import TorqueSigns
from dynid.json_text import json_fields
from dynid.recording.column_proposal import proposal_text
from dynid.recording.contradiction import Contradiction
from dynid.recording.info import RecordingInfo, Timing
from dynid.report.card import Card, ErrorBar, NamedInputs
from dynid.report.diagnosis import print_finding
from dynid.report.terminal.console import (
    print_message,
    print_outcome,
    print_sentences,
    print_text,
    roomy,
)
from dynid.report.terminal.tables import ResultTable, table
from dynid.report.words import rest
from dynid.report.write import kept_model
from dynid.text import percent, significant, unit

_LONGEST_BAR, _SHORTEST_BAR = 40, 10  # [characters]


def print_identification(
    console: Console, identification: Identification, named: NamedInputs | None = None
) -> None:
    """Print joint terms, physical quantities, torque errors and the verdict."""
    console = roomy(console)
    print_text(console, f"{identification.robot.name}: identified dynamic model", "bold")
    determined = sum(p.determined for p in identification.base_parameters)
    made = identification.provenance
    consistent = "yes" if made.physically_consistent else "no"
    facts = (
        f"{made.samples} samples, "
        f"{len(identification.base_parameters)} base parameters ({determined} determined), "
        f"condition number {significant(made.condition_number, 3)}, "
        f"estimator {made.estimator}, physically consistent: {consistent}"
    )
    print_text(console, facts)
    console.print()
    print_text(console, "Joint terms [SI] (all other parameters are in the report)")
    console.print(_term_table(identification))
    console.print()
    if identification.term_selection is not None:
        print_terms(console, identification.term_selection)
    print_quantities(console, identification.quantities)
    if identification.signs is not None:
        console.print(_sign_table(identification.signs))
        console.print()
    card = Card.of(identification, named)
    print_verdict(console, card, held_out=identification.held_out, notes=identification.notes)
    print_next(console, card)


def print_terms(console: Console, selection: FrictionSelection) -> None:
    """Print the friction model chosen for each joint, and the held-out errors that led to it."""
    if not selection.joints:
        return
    print_text(console, f"Friction chosen by the error on each {selection.left_out} left out")
    rows = table("joint", "plain terms", "chosen", "friction", wrap_last=True)
    for joint in selection.joints:
        errors = (percent(joint.given_error), percent(joint.chosen_error))
        rows.add_row(joint.joint, *errors, f"{joint.chosen}: {joint.reason}")
    console.print(rows)
    console.print()


def print_quantities(console: Console, quantities: Sequence[Quantity]) -> None:
    """Print physical quantities with standard deviations, and why some are not identifiable."""
    if not quantities:
        return
    rows = table("physical quantity", "value", "std. dev.", "unit")
    for quantity in quantities:
        deviation = significant(quantity.standard_deviation, 2)
        values = (significant(quantity.value), deviation, unit(quantity.unit))
        rows.add_row(quantity.name, *values)
    console.print(rows)
    unknown = [
        f"{quantity.name}: {quantity.unknown}" for quantity in quantities if quantity.unknown
    ]
    print_sentences(console, "Not identifiable", unknown, "yellow")
    console.print()


def print_verdict(
    console: Console, card: Card, *, held_out: HeldOut | None = None, notes: Iterable[str] = ()
) -> None:
    """Print each joint's errors, and whether the model meets its criterion."""
    console, verdict = roomy(console), card.verdict
    console.print(_error_table(verdict.joints, held_out))
    console.print(_rest_table(verdict.joints))
    print_text(console, card.summary)
    _print_error_bars(console, card.bars)
    for sentence in (*card.against_urdf, *card.uses):
        print_text(console, sentence)
    for title, sentences, style in (
        ("Failed because", verdict.reasons if not verdict.success else (), "bold red"),
        ("Warnings", verdict.warnings, "yellow"),
        ("Notes", tuple(notes), ""),
    ):
        print_sentences(console, title, sentences, style)
    print_outcome(console, verdict.success)


def _print_error_bars(console: Console, bars: Sequence[ErrorBar]) -> None:
    """Print mean torque errors as bars: the model against the URDF, or else against no model."""
    names = max((len(bar.name) for bar in bars), default=0)
    numbers = max((len(bar.number) for bar in bars), default=0)
    room = min(_LONGEST_BAR, console.width - names - numbers - 2)
    if room < _SHORTEST_BAR:
        return  # the sentences have the same numbers
    scale = room / max((bar.high for bar in bars), default=1.0)
    for bar in bars:
        start, end = round(scale * bar.low), round(scale * bar.high)
        drawn = " " * start + ("─" if bar.low else "█") * max(end - start, 1)
        print_text(console, f"{bar.name:<{names}} {drawn:<{room}} {bar.number}")


def print_next(console: Console, card: Card) -> None:
    """Print the command that comes next."""
    print_text(console, f"Next: {card.next}")


def print_demonstration(
    console: Console, cards: Mapping[str, Card], quantities: Sequence[Quantity] = ()
) -> None:
    """Print the cards of an identification (``identification``) and of a ``validation``."""
    print_quantities(roomy(console), quantities)
    titles = {
        "identification": "On the motion that the model was fitted to:",
        "validation": "On a second motion, which was not used for the identification:",
    }
    for kind, card in cards.items():
        print_text(console, titles[kind], "bold")
        print_verdict(console, card)
        console.print()
    if cards:  # what comes next depends on the first that failed, or on the last
        failed = [card for card in cards.values() if not card.verdict.success]
        print_next(console, [*failed, *list(cards.values())[::-1]][0])
        console.print()


def print_recording_info(console: Console, info: RecordingInfo) -> None:
    """Print what a recording holds."""
    console = roomy(console)
    size = f"{significant(info.size / 1e6, 3)} MB" if info.size >= 1e5 else f"{info.size} bytes"
    print_text(console, f"{info.name}: {info.kind}, {size}", "bold")
    if info.topics:
        rows = table("topic", "type", "messages")
        for topic in info.topics:
            used = " (read)" if topic.name == info.topic else ""
            rows.add_row(*(topic.name + used, topic.type, str(topic.messages)))
        console.print(rows)
        checksums = info.checksums or "none; damaged data cannot be detected"
        print_text(console, f"Checksums: {checksums}")
    if info.columns:
        print_text(console, f"{info.rows} rows, {info.columns} columns")
        print_sentences(console, "Columns", info.header, "")
    if info.proposal is not None:
        print_text(
            console,
            "Column map by these names, with the robot's names of joints; the profile needs it "
            "(recording: columns:) only where identify asks for one:",
        )
        print_text(console, proposal_text(info.proposal))
    if info.timing is not None:
        print_text(console, _timing(info.timing))
    if info.joints:
        signals = ["position", "velocity", "effort"]
        if any(joint.temperature is not None for joint in info.joints):
            signals.append("temperature")
        rows = table(
            "joint", *(f"{name} [°C]" if name == "temperature" else name for name in signals)
        )
        for joint in info.joints:
            ranges = (getattr(joint, signal) for signal in signals)
            rows.add_row(joint.name, *(_range(values) for values in ranges))
        console.print(rows)
    print_sentences(console, "Damaged", info.damage, "red")
    print_sentences(console, "Repaired when read", info.repairs, "yellow")
    if info.problem is not None:
        print_text(console, f"Cannot be used: {info.problem}", "bold red")
    _print_contradictions(console, info.contradictions)


def _print_contradictions(console: Console, contradictions: Iterable[Contradiction]) -> None:
    for one in contradictions:
        print_finding(console, one.kind, one.severity, one.sentence, one.remedy)


def recording_info_json(info: RecordingInfo) -> dict[str, Any]:
    """Return what ``dynid info --json`` prints."""
    return json_fields(info, without=["contradictions"]) | {
        "contradictions": [
            json_fields(contradiction, without=["corrections"])
            | {"corrections": [correction.entry() for correction in contradiction.corrections]}
            for contradiction in info.contradictions
        ]
    }


def _error_table(joints: Sequence[JointErrors], held_out: HeldOut | None) -> ResultTable:
    units = sorted({unit(joint.unit) for joint in joints})
    urdf = any(math.isfinite(joint.urdf_error) for joint in joints)
    torque = set(units) <= {"N·m", "N"}  # the second column would be the same
    rows = table(
        "joint",
        f"RMSE [{', '.join(units)}]",
        *([] if torque else ["RMSE [N·m]"]),
        "NRMSE",
        "relative",
        *(["held out"] if held_out else []),
        *(["URDF"] if urdf else []),
        "R²",
        "max moving",
        "mean moving",
    )
    for number, joint in enumerate(joints):
        values = [
            significant(joint.rmse, 3),
            *([] if torque else [significant(joint.rmse_torque, 3)]),
            percent(joint.nrmse),
            percent(joint.relative_error),
            *([percent(held_out.relative_error[number])] if held_out else []),
            *([percent(joint.urdf_error)] if urdf else []),
            significant(joint.r_squared, 4),
            *map(percent, joint.errors_in_motion),
        ]
        rows.add_row(joint.joint, *values)
    return rows


def _rest_table(joints: Sequence[JointErrors]) -> ResultTable:
    """Return the errors in motion and at rest, and the share of samples in the 95 % interval."""
    covered = any(math.isfinite(joint.coverage) for joint in joints)
    rows = table(
        "joint",
        "moving",
        "RMSE at rest (± static friction)",
        "of squared error",
        *(["within 95 %"] if covered else []),
    )
    for joint in joints:
        values = (percent(joint.moving_error), rest(joint), percent(joint.rest_error_share))
        inside = [percent(joint.coverage)] if covered else []
        rows.add_row(joint.joint, *(*values, *inside))
    return rows


def _term_table(identification: Identification) -> ResultTable:
    """Return the joint terms, a column for each kind.

    Several terms of one kind at one joint differ in their scales and add up, so they are summed.
    """
    mechanism = identification.model.mechanism
    values_by_term: dict[tuple[str, int], list[float]] = {}
    first = mechanism.first_term
    for term, name, value in zip(
        mechanism.terms,
        mechanism.parameter_names[first:],
        mechanism.parameters[first:],
        strict=True,
    ):
        prefix = "".join(takewhile(str.isalpha, name))
        values_by_term.setdefault((prefix, term.joint), []).append(float(value))
    summed = {prefix for (prefix, _), values in values_by_term.items() if len(values) > 1}
    prefixes = list(dict.fromkeys(prefix for prefix, _ in values_by_term))
    rows = table("joint", *(f"Σ {name}" if name in summed else name for name in prefixes))
    for number, joint in enumerate(mechanism.moving_joints):
        if number >= len(mechanism.joints) and not any(of == number for _, of in values_by_term):
            continue
        cells = (values_by_term.get((prefix, number)) for prefix in prefixes)
        shown = ("" if values is None else _compact(sum(values)) for values in cells)
        rows.add_row(joint, *shown)
    return rows


def _sign_table(signs: TorqueSigns) -> ResultTable:
    """Return how certain the reconstructed signs of torque are, a row for each drive."""
    rows = table(
        "sign of torque", "segments", "uncertain", "samples certain", "decided by", wrap_last=True
    )
    for drive in signs.drives:
        counts = (str(drive.segments), str(drive.uncertain), percent(drive.certain_share))
        rows.add_row(drive.joint, *counts, drive.decided_by)
    return rows


def _compact(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "–"


def _timing(timing: Timing) -> str:
    rate = "" if timing.sampling_rate is None else f" at {significant(timing.sampling_rate, 4)} Hz"
    steps = (
        f"{timing.samples} samples in {timing.duration:.3f} s{rate}; steps from "
        f"{1e3 * timing.shortest_step:.3g} ms to {1e3 * timing.longest_step:.3g} ms, "
        f"jitter {1e3 * timing.jitter:.3g} ms"
    )
    missing = f"; {timing.missing} missing, in {timing.gaps} gaps too long to be interpolated"
    if not timing.gaps:
        missing = f"; {timing.missing} missing" if timing.missing else ""
    late = timing.lateness
    if late is None:
        return steps + missing
    return (
        f"{steps}{missing}; stamps after a clock of {significant(late.rate, 4)} Hz by "
        f"{1e3 * late.median:.3g} ms (median), {1e3 * late.most:.3g} ms (99 %), "
        f"{1e3 * late.largest:.3g} ms (at most)"
    )


def _range(values: tuple[float, float] | None) -> str:
    if values is None:
        return "–"
    return f"{significant(values[0], 3)} … {significant(values[1], 3)}"


def print_kept_model(folder: Path, *, success: bool) -> None:
    """Print to standard error that a failed identification kept the model of an earlier one."""
    kept = kept_model(folder, success=success)
    if kept is not None:
        print_message(kept, kind="note")
