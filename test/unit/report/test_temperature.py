"""The report on recordings with temperatures: charts, statements, and nothing without them."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation.temperature import Effect, JointTemperature
from dynid.recording.temperature import Temperature
from dynid.report.motion import EvaluatedMotion
from dynid.report.plots import series_json
from dynid.report.report import report_html, write_report
from dynid.report.temperature import friction_sentence, statements

SLOPE = -0.03  # of the friction of the second joint, for each °C


def warm(identification, *, slope=SLOPE):
    """Return an identification with temperatures of two joints in the first recording."""
    signals = list(identification.signals)
    measured = list(identification.measured_torque)
    first, mechanism = signals[0], identification.model.mechanism
    at = np.arange(first.time[0], first.time[-1], 0.1)
    share = at / first.time[-1]
    values = 25 + 8 * (1 - np.exp(-4 * share)) - 4 * np.exp(-(((share - 0.6) / 0.1) ** 2))
    celsius = np.column_stack([values, values + 5, np.full(len(at), np.nan)])
    signals[0] = replace(first, temperature=Temperature(at, celsius))
    kinds = {term.kind for term in mechanism.terms if term.traits.dissipative}
    motion = first.position, first.velocity, first.acceleration
    friction = torque_of_kinds(mechanism, *motion, kinds)[:, 1]
    change = slope * (np.interp(first.time, at, values) - values.mean())
    measured[0] = measured[0].copy()
    measured[0][:, 1] += change * friction
    return replace(identification, signals=tuple(signals), measured_torque=tuple(measured))


@pytest.fixture(scope="module")
def found(make_identification):
    return warm(make_identification(samples=6000))


@pytest.fixture(scope="module")
def html(found):
    return report_html(found)


def test_states_which_friction_goes_with_temperature(html):
    section = html.split('<h2 id="temperature">')[1].split("<h2")[0]
    text = re.sub("<[^>]+>", " ", section)
    stated = re.findall(
        r"^ (.*): friction changes by \u2212(\S+) ± (\S+) % for each °C", text, re.MULTILINE
    )
    ((joint, slope, half_width),) = stated
    assert joint == "elbow &amp; co"
    assert float(slope) == pytest.approx(-100 * SLOPE, abs=float(half_width))
    assert "also if a steady change in time is allowed for" in text
    assert "mean torque error changes by" not in text
    assert "not measured" in text
    friction = html.split('<h2 id="friction">')[1].split("<h2")[0]
    assert "Friction of elbow &amp; co goes with temperature" in friction


def test_temperature_is_drawn_below_the_torque_of_joints_that_have_it(html):
    for number, drawn in ((1, True), (2, True), (3, False)):
        section = html.split(f'<section id="joint-{number}">')[1].split("</section>")[0]
        curves = re.findall(r'<path class="line (\w+)[^>]* d="M\d', section)
        assert curves == ["measured", "model", "error", *(["temperature"] if drawn else [])]
        assert section.count("time [s]") == 1


def test_without_temperatures_there_is_no_section(identification):
    html = report_html(identification)
    assert 'id="temperature"' not in html
    assert "#temperature" not in html
    assert "°C]" not in html


def test_the_script_gets_temperatures_on_the_time_axis_of_the_torque(found):
    motion = EvaluatedMotion(found.signals, found.measured_torque, found.model_torque, (False,) * 3)
    joints = json.loads(series_json(motion))["joints"]
    assert ["temperature" in one for one in joints] == [True, True, False]
    lengths = [len(one) for one in joints[0]["measured"]["values"]]
    assert [len(one) for one in joints[0]["temperature"]["values"]] == lengths


def test_chance_is_called_chance():
    nothing = Effect(-0.002, 0.01, significant=False, beyond_time=False)
    joints = [JointTemperature("j1", 20.0, 24.0, nothing, nothing)]
    (sentence,) = statements(joints, ["N·m"])
    assert "No effect of temperature was found beyond chance" in sentence
    assert "not found to go with temperature" in friction_sentence(joints)


def test_what_cannot_be_estimated_is_not_denied():
    joints = [JointTemperature("j1", 20.0, 20.1, problem="changed by less than 1 °C")]
    (sentence,) = statements(joints, ["N·m"])
    assert "Nothing can be said" in sentence
    assert "cannot be said" in friction_sentence(joints)


def test_a_steady_change_in_time_is_named_as_another_cause():
    effect = Effect(0.02, 0.005, significant=True, beyond_time=False)
    (sentence,) = statements([JointTemperature("j1", 20.0, 24.0, None, effect)], ["N"])
    assert sentence.startswith("j1: the mean torque error changes by +0.020 ± 0.0050 N for each °C")
    assert "another cause which acts over time would look the same" in sentence


@pytest.mark.parametrize("width", [400, 1400])
def test_the_cursor_shows_the_temperature(visit, found, tmp_path, width):
    write_report(found, tmp_path / "report.html")
    seen = visit(tmp_path / "report.html", width=width)
    page = seen.page
    plot = page.locator('#joint-2 figure[data-curves="temperature"] .plot')
    plot.scroll_into_view_if_needed()
    page.locator("#joint-2 .plot").first.focus()
    for _ in range(10):  # from the middle into the first recording
        page.keyboard.press("ArrowLeft")
    shown = page.locator("#joint-2 .readout", has_text="measured")
    shown.first.wait_for()
    time, celsius = re.fullmatch(r"([\d.]+) s: .*, ([\d.]+) °C", shown.inner_text()).groups()
    heat = found.signals[0].temperature
    expected = np.interp(float(time), heat.time, heat.celsius[:, 1])
    assert float(celsius) == pytest.approx(expected, abs=0.06)
    assert seen.overflow == 0
    assert seen.errors == []
