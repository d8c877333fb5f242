"""A prediction on a terminal, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from dynid.excitation.prediction.advice import advice, good, verdict, worst_first
from dynid.excitation.prediction.precision import Precision, PredictedParameter
from dynid.excitation.prediction.prediction import Prediction
from dynid.json_text import json_fields
from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import ResultTable, table
from dynid.text import NOT_KNOWN, percent, significant, unit

_PRECISION = (
    "condition_number",
    "scaled_condition_number",
    "rigid_condition_number",
    "rigid_scaled_condition_number",
    "log10_det",
)

_MOST_SHOWN = 12
_LEGEND = (
    "Range, speed, acceleration and torque relative to their limits; bins: visited of ten over\n"
    "the range; pairs: visited of 10 × 10 with the next joint; peak, RMS, noise of torque [N·m, N]."
)


def print_prediction(console: Console, prediction: Prediction) -> None:
    """Print joints, poorly determined parameters, and advice on an excitation."""
    console = roomy(console)

    def line(text: str, style: str = "") -> None:
        print_text(console, text, style)

    line(f"{prediction.robot.name}: predicted parameter uncertainty", "bold")
    line(facts(prediction))
    console.print()
    console.print(_joint_table(prediction))
    line(_LEGEND)
    line(tool_in_words(prediction))
    console.print()
    weak = worst_first(prediction)
    if weak:
        console.print(_parameter_table(weak[:_MOST_SHOWN]))
    line(rest_in_words(prediction, shown=min(len(weak), _MOST_SHOWN)))
    console.print()
    print_sentences(console, "Warnings", advice(prediction), "yellow")
    print_sentences(console, "Assumptions", prediction.assumptions, "")
    line(verdict(prediction), "bold green" if good(prediction) else "bold red")


def share(value: float | None) -> str:
    """Return a share of a limit in percent, or a dash where there is no limit."""
    return NOT_KNOWN if value is None else f"{100 * value:.0f} %"


def rest_in_words(prediction: Prediction, shown: int) -> str:
    """Return a sentence on the parameters beyond the worst ones that are shown."""
    weak = {parameter.name for parameter in worst_first(prediction)[:shown]}
    rest = [parameter for parameter in prediction.parameters if parameter.name not in weak]
    known = [parameter.relative for parameter in rest if parameter.known]
    unknown = [parameter for parameter in rest if not parameter.known]
    parts = []
    if known:
        others = " other" if shown else ""
        noun = "parameter" if len(known) == 1 else "parameters"
        parts.append(f"{len(known)}{others} {noun} will be found within {percent(max(known))}")
    if unknown:
        parts.append(
            f"{len(unknown)} that are 0 now will have standard deviations of at most "
            f"{_largest_by_unit(unknown)}"
        )
    return "; ".join(parts) + "." if parts else "No other parameters."


def _largest_by_unit(parameters: list[PredictedParameter]) -> str:
    largest: dict[str, float] = {}
    for parameter in parameters:
        largest[parameter.unit] = max(
            largest.get(parameter.unit, 0.0), parameter.standard_deviation
        )
    return ", ".join(
        f"{significant(size, 2)} {unit(name)}".rstrip() for name, size in largest.items()
    )


def facts(prediction: Prediction) -> str:
    """Return duration, samples and condition numbers in two lines."""
    precision = prediction.precision
    weighted, rigid_weighted, plain, rigid = condition_numbers(precision)
    return (
        f"{significant(prediction.duration, 4)} s, {len(prediction.signals.time)} samples, "
        f"{len(prediction.parameters)} base parameters, "
        f"log₁₀ det {significant(precision.log10_det, 4)}\n"
        f"condition number {weighted} weighted and scaled (bodies alone {rigid_weighted}), "
        f"{plain} in SI units (bodies alone {rigid})"
    )


def condition_numbers(precision: Precision) -> tuple[str, str, str, str]:
    """Return condition numbers as texts: weighted and scaled, then in SI units.

    Each is followed by that of the rigid-body parameters alone.
    """
    return (
        significant(precision.scaled_condition_number, 3),
        significant(precision.rigid_scaled_condition_number, 3),
        significant(precision.condition_number, 3),
        significant(precision.rigid_condition_number, 3),
    )


def _joint_table(prediction: Prediction) -> ResultTable:
    rows = table(
        "joint",
        "range",
        "bins",
        "pairs",
        "cycles",
        "speed",
        "accel.",
        "torque",
        "peak",
        "rms",
        "noise",
    )
    for joint, covered, torque in zip(
        prediction.joints, prediction.coverage, prediction.torques, strict=True
    ):
        cells = (
            *map(share, (covered.range_share, covered.bin_share, covered.pair_share)),
            f"{covered.cycles:g}",
            *map(share, (covered.velocity_share, covered.acceleration_share)),
            share(torque.share),
            *(f"{size:.3g}" for size in (torque.peak, torque.rms, torque.noise)),
        )
        rows.add_row(joint, *cells)
    return rows


def mixed_in_words(parameter: PredictedParameter) -> str:
    """Return the parameter that one is most correlated with, or a dash."""
    return (
        f"{parameter.mixed_with} ({parameter.correlation:.2f})"
        if parameter.correlation
        else NOT_KNOWN
    )


def tool_in_words(prediction: Prediction) -> str:
    """Return a sentence on the tool's speed and the bounding box of its path."""
    sides = (
        f"{axis} {low + 0.0:.3f} … {high + 0.0:.3f}"  # + 0.0: no minus before a zero
        for axis, low, high in zip("xyz", *prediction.tool_box.round(3).tolist(), strict=True)
    )
    speed = significant(prediction.tool_speed, 3)
    return f"The tool moves at up to {speed} m/s within {', '.join(sides)} m of the base frame."


def _parameter_table(parameters: list[PredictedParameter]) -> ResultTable:
    rows = table(
        "poorly determined",
        "now",
        "std. dev.",
        "relative",
        "unit",
        "torque/noise",
        "correlated with",
    )
    for parameter in parameters:
        cells = (
            significant(parameter.value, 3),
            significant(parameter.standard_deviation, 2),
            percent(parameter.relative) if parameter.determined else "not determined",
            unit(parameter.unit),
            significant(parameter.signal, 2),
            mixed_in_words(parameter),
        )
        rows.add_row(parameter.name, *cells)
    return rows


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return what ``--json`` prints: SI units, fractions, and null for unknown values."""
    precision = prediction.precision
    lowest, highest = prediction.tool_box
    return {
        "robot": prediction.robot.name,
        "good": good(prediction),
        "verdict": verdict(prediction),
        "advice": advice(prediction),
        "assumptions": prediction.assumptions,
        "duration": prediction.duration,
        "sampling_rate": prediction.signals.sampling_rate,
        **{name: getattr(precision, name) for name in _PRECISION},
        "parameters": {
            parameter.name: _parameter(parameter) for parameter in prediction.parameters
        },
        "joints": {
            joint: {**json_fields(covered), "torque": torque}
            for joint, covered, torque in zip(
                prediction.joints, prediction.coverage, prediction.torques, strict=True
            )
        },
        "tool": {"speed": prediction.tool_speed, "lowest": lowest, "highest": highest},
    }


def _parameter(parameter: PredictedParameter) -> dict[str, Any]:
    return {
        "value": parameter.value,
        "unit": parameter.unit,
        "standard_deviation": parameter.standard_deviation,
        "relative_standard_deviation": parameter.relative,
        "determined": parameter.determined,
    }
