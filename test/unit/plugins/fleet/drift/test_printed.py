"""The table of a robot's changes fits a narrow terminal."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from support.table_widths import printed_whole

from dynid_plugins.fleet.drift.printed import drift_sentences, print_drift
from dynid_plugins.fleet.drift.words import visibility_words

JOINTS = [f"left_arm_{name}_joint" for name in ("shoulder_pan", "shoulder_lift", "elbow")]
SMALL = -1.234e-5
SENTENCE = "joint 'left_arm_elbow_joint' [m]: its range is small; move it over most of its range."


def some(**fields: object) -> SimpleNamespace:
    return SimpleNamespace(**fields)


def drift() -> SimpleNamespace:
    def cause(kind: str, size_unit: str) -> SimpleNamespace:
        return some(kind=kind, joint=JOINTS[0], unit=size_unit)

    causes = [
        some(
            cause=cause("torque_constant", "1"), probability=0.6, size=SMALL, standard_deviation=1
        ),
        some(cause=cause("payload", "kg"), probability=0.3, size=SMALL, standard_deviation=-SMALL),
    ]
    numbers = {"alarm": 2, "start": 1, "earliest": 0, "latest": 2, "unexplained": 0.1}
    found = some(
        **numbers, gradual=True, temperature_known=False, explanations=causes, best=causes[0]
    )
    names = ("others", *(f"friction of {joint}" for joint in JOINTS))
    return some(
        reference_begin=3,
        history=some(robot="robot", times=np.arange(3) * 1e4, temperatures=None, notes=[SENTENCE]),
        changes=[found],
        surprise=np.full(3, 12.3),
        threshold=12.3,
        reference=1,
        false_alarms_per_year=0.1,
        between_days=some(
            common=0.1,
            joints=np.full(3, 0.1),
            groups=some(names=names),
            persistence=some(mean=0.2, most=0.7),
        ),
        visibility=[some(cause=one.cause, smallest=-SMALL) for one in causes],
    )


@pytest.mark.parametrize("width", [60, 80])
def test_no_table_breaks(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    printed_whole(lambda c: print_drift(c, drift()), width, monkeypatch)


def test_the_new_reference_is_named_complete_or_not() -> None:
    days = 86400.0 * np.arange(10)
    found = drift()
    found.history.times, found.reference = days, 4
    complete = drift_sentences(found)[0]
    assert complete.endswith("with a new reference, 1970-01-04 to 1970-01-07.")
    found.history.times = days[:5]
    unfinished = drift_sentences(found)[0]
    assert "the 4 recordings after 1970-01-03, of which 2 are there" in unfinished


@pytest.mark.parametrize("unit", ["kg", "rad", "1"])
def test_a_size_without_end_is_not_visible(unit: str) -> None:
    assert visibility_words(some(unit=unit), np.inf) == "not visible"
