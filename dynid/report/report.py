"""The report, from tables, figures and text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from markupsafe import Markup, escape

from dynid.arrays import Array
from dynid.errors import DynidError
from dynid.evaluation.diagnosis.finding import sentences
from dynid.files import write_text
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import Validation
from dynid.report import tables, words
from dynid.report.card import Card, ErrorBar, NamedInputs
from dynid.report.diagnosis import finding_rows
from dynid.report.motion import EvaluatedMotion, evaluated_motion
from dynid.report.pages import render
from dynid.report.plots import coverage_plot, friction_plot, series_json, torque_plot
from dynid.report.residual_plots import residual_figures
from dynid.report.temperature import temperature_section
from dynid.report.view.joint_motion import JointMotion
from dynid.report.view.turntable import Turntable, moving_scene, turntable
from dynid.robot.model import Model
from dynid.robot.provenance import BaseEstimate
from dynid.text import count, iso_time, significant

_DRAWN = 0.1  # smaller correlations are left white
_PAIRS = 8
_NAMED = 60  # rows with a name; of more, every k-th, as names would overlap
_MOST_PARAMETERS = 120  # parameters of a map that can be read

_SCRIPTS = ("torque.js", "tables.js", "turntable.js")


def write_report(
    identification: Identification, path: Path, named: NamedInputs | None = None
) -> None:
    """Write an identification's report: one HTML file without external resources.

    Raises:
        WriteError: the file cannot be written.
    """
    write_text(path, report_html(identification, named))


def write_validation_report(
    validation: Validation, path: Path, named: NamedInputs | None = None
) -> None:
    """Write the report on a model that was validated on other recordings.

    Raises:
        WriteError: the file cannot be written.
    """
    motion = evaluated_motion(validation)
    content, made = _common(validation, motion, named), validation.model.provenance
    content |= {
        "title": f"{validation.model.robot.name}: validation of its dynamic model",
        "identification": None,
        "created": None,
        "model_of": None if made is None else made.dated,
    }
    write_text(path, _page(content))


def write_missing_validation_report(model: Model, reason: str, path: Path) -> None:
    """Write why a validation of a model could not be evaluated, a sentence.

    Raises:
        WriteError: the file cannot be written.
    """
    title = f"{model.robot.name}: validation of its dynamic model"
    made = model.provenance
    content = {"title": title, "model_of": None if made is None else made.dated, "reason": reason}
    write_text(path, render("not_validated.html.j2", content))


def report_html(identification: Identification, named: NamedInputs | None = None) -> str:
    """Return the text of an identification's report."""
    motion, selection = evaluated_motion(identification), identification.term_selection
    content = _common(identification, motion, named)
    content |= {
        "title": f"{identification.robot.name}: identification of its dynamic model",
        "identification": identification,
        "created": iso_time(identification.provenance.created),
        "model_of": None,
        "steps": content["steps"] + words.estimation_steps(identification),
        "chosen": selection.joints if selection else (),
        "base": [tables.with_status(p) for p in identification.base_parameters],
        "intervals": any(parameter.interval for parameter in identification.base_parameters),
        "bodies": tables.body_matrix(identification),
        "terms": tables.term_matrix(identification),
        "correlation": correlation_map(identification.model.base),
    }
    content["facts"] += [
        (significant(identification.provenance.condition_number, 3), "condition number"),
        (str(len(identification.base_parameters)), "base parameters"),
        (
            "yes" if identification.provenance.physically_consistent else "no",
            "physically consistent",
        ),
    ]
    return _page(content)


def _page(content: dict[str, Any]) -> str:
    return render("report.html.j2", content, scripts=_SCRIPTS)


def _tool_path(result: Identification | Validation) -> Turntable | None:
    """Return the robot and the path of its tool along the longest recording.

    None where a closed chain cannot be closed along it: a picture must not cost the report.
    """
    longest = max(result.signals, key=lambda signals: len(signals.time))
    motion = JointMotion("recording", longest.time, longest.position)
    try:
        return turntable(moving_scene(result.model.robot, motion))
    except DynidError:
        return None


def _bars(card: Card) -> list[tuple[ErrorBar, float, float]]:
    """Return the bars of the verdict, with start and length in percent of the longest."""
    scale = 100 / max((bar.high for bar in card.bars), default=1.0)
    return [(bar, scale * bar.low, scale * (bar.high - bar.low)) for bar in card.bars]


def _common(
    result: Identification | Validation, motion: EvaluatedMotion, named: NamedInputs | None
) -> dict[str, Any]:
    """Return the contents that both reports have."""
    robot, verdict, card = result.model.robot, result.verdict, Card.of(result, named)
    settings = robot.settings(IdentificationSettings)
    held_out = getattr(result, "held_out", None)
    diagnosed = set(sentences(result.findings))
    joints = [
        {
            "name": joint.joint,
            "plot": torque_plot(motion, number),
            "coverage": tables.coverage_row(motion, robot.limits, number),
        }
        for number, joint in enumerate(verdict.joints)
    ]
    profile = yaml.safe_dump(robot.yaml_content(), sort_keys=False, allow_unicode=True)
    return {
        "success": verdict.success,
        "card": card,
        "bars": _bars(card),
        "reasons": verdict.reasons,
        # those of the diagnosis stand in its own section
        "warnings": [warning for warning in verdict.warnings if warning not in diagnosed],
        "found": words.found(result.findings),
        "notes": result.notes,
        "errors": tables.error_columns(verdict.joints, settings, held_out),
        "leading": tables.LEADING,
        "joints": joints,
        "findings": finding_rows(result.findings),
        "series": Markup(series_json(motion)),  # noqa: S704  JSON without "<"
        "friction": friction_plot(motion, result.model.mechanism),
        "residuals": residual_figures(motion, settings),
        "temperature": temperature_section(motion, result.model.mechanism, settings),
        "turntable": _tool_path(result),
        "coverage": coverage_plot(motion, robot.limits),
        "steps": words.recording_steps(robot, result.signals, result.samples),
        "facts": [
            (str(len(result.signals)), "recordings" if len(result.signals) > 1 else "recording"),
            (f"{significant(sum(motion.lengths), 3)} s", "of motion"),
            (count(result.samples), "samples"),
        ],
        "sources": result.sources,
        "versions": result.provenance.versions if isinstance(result, Identification) else {},
        "settings": profile,
    }


class CorrelatedPair(NamedTuple):
    """Two base parameters and the correlation of their errors."""

    first: str
    second: str
    correlation: float


class CorrelationMap(NamedTuple):
    """The map as HTML, and the strongest pairs."""

    markup: Markup
    pairs: list[CorrelatedPair]


def correlation_map(base: BaseEstimate) -> CorrelationMap | None:
    """Return the correlations of the errors of base parameters; None without their covariance."""
    if base.covariance is None or not 2 <= len(base.names) <= _MOST_PARAMETERS:
        return None
    values = correlations(base.covariance)
    first, second = np.tril_indices(len(values), -1)
    order = np.argsort(-np.abs(values[first, second]))[:_PAIRS]
    pairs = [
        CorrelatedPair(base.names[i], base.names[j], float(values[i, j]))
        for i, j in zip(second[order].tolist(), first[order].tolist(), strict=True)
    ]
    return CorrelationMap(_map(base.names, values), pairs)


def correlations(covariance: Array) -> Array:
    """Return the correlations (b, b) of a covariance; 0 where a variance is 0."""
    spread = np.sqrt(np.diag(covariance))
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(covariance * np.outer(scale, scale))


def _map(names: tuple[str, ...], values: Array) -> Markup:
    count = len(names)
    cells = "".join(
        f'<rect class="{"model" if values[i, j] > 0 else "error"}" x="{j}" y="{i}" '
        f'width="1" height="1" '
        f'fill-opacity="{abs(values[i, j]):.2f}">'
        f"<title>{escape(names[i])}, {escape(names[j])}: {values[i, j]:.2f}</title></rect>"
        for i, j in zip(*np.nonzero(np.abs(np.tril(values)) >= _DRAWN), strict=True)
    )
    rows = "".join(
        f'<span class="y" style="top:{100 * (number + 0.5) / count:.4g}%">{escape(name)}</span>'
        for number, name in enumerate(names)
        if number % -(-count // _NAMED) == 0
    )
    return Markup(  # noqa: S704  names are escaped, the rest are numbers
        f'<div class="map" role="img" aria-label="Correlation of {count} base parameters">'
        f'<svg viewBox="0 0 {count} {count}">{cells}</svg>{rows}</div>'
    )
