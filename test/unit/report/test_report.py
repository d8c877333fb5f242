from __future__ import annotations

import base64
import hashlib
import math
import os
import re
from dataclasses import replace
from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.html_page import HtmlPage
from support.validated import validation_of

from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import DynidError
from dynid.evaluation.settings import EvaluationSettings
from dynid.report.decimation import envelope, evenly
from dynid.report.pages import split_sum
from dynid.report.report import report_html, write_report, write_validation_report
from dynid.report.tables import error_columns, term_matrix
from dynid.text import iso_time, percent, significant, unit


@pytest.fixture(scope="module")
def html(identification):
    return report_html(identification)


@pytest.fixture(scope="module")
def page(html):
    return HtmlPage(html)


def test_there_are_no_external_resources(page):
    page.assert_loads_nothing()


def test_every_tag_is_closed_and_every_reference_leads_somewhere(html, page):
    used = set(re.findall(r'(?:href="|url\()#([\w-]+)', html))
    assert used <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_every_joint_has_its_section_with_a_plot(html, identification):
    for number, joint in enumerate(identification.verdict.joints, start=1):
        section = html.split(f'<section id="joint-{number}">')[1].split("</section>")[0]
        assert joint.joint.replace("&", "&amp;") in section
        assert "<svg" in section
        drawn = re.findall(r'<path class="line (\w+)[^>]* d="M\d', section)
        assert drawn == ["measured", "model", "error"]  # the model above the measured torque


def test_names_from_input_cannot_become_markup(html, page):
    assert "<b>.csv" not in html
    assert 'se"cond <b>.csv' in page.text
    assert "elbow & co" in page.text


def test_the_policy_allows_the_script_of_the_page_and_no_other(html, page):
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    assert page.policies == [
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hashes[0]}'"
    ]
    assert len(hashes) == 1


def test_success_is_stated_at_the_top(page, identification):
    assert "✓ Succeeded" in page.text[:400]
    assert (
        "data not used in the fit, without noise, is 8.00 % (lift); 44.7 % is allowed"
        in page.text[:800]
    )
    served = "Collision detection with tuned thresholds: serves shoulder and elbow & co; not lift ("
    assert served in page.text[:800]
    assert "residuals are not white" in page.text


def test_failure_is_stated_at_the_top_with_its_reasons(failed):
    text = HtmlPage(report_html(failed)).text
    assert "✗ Failed" in text[:400]
    assert "max relative torque error 61 % is above 50 %." in text[:1000]
    assert "✓" not in text


def test_errors_and_provenance_are_shown(page, identification):
    for expected in (
        "13.9 %",
        "3.18 %",
        "RMSE [A]",
        "2026-01-31T12:00:05Z",
        "ab" * 32,
        "numpy 2.0",
        "cut-off 10 Hz",
        "3 samples were dropped.",
        "cutoff_hz: auto",
        "condition number",
        "weighted least squares",
    ):
        assert expected in page.text


def test_parameters_are_shown_with_standard_deviations_and_status(page):
    text = page.text
    assert "ZZ1R 1.250 ± 0.010 0.80 % 1.260 kg·m² essential ZZ1 + XX2 + 0.25 M3" in text
    assert "MX2R 0.5000 ± 0.10 20.0 % 0.4000 kg·m not essential" in text
    assert "Fv1 – – – 0.5000 N·m·s/rad not determined" in text


def test_every_joint_term_has_a_cell_of_its_own(identification):
    shown = [
        cell.text for _, cells in term_matrix(identification).rows for cell in cells if cell.text
    ]
    expected = [significant(p.value) for p in identification.parameters[30:]]
    assert sorted(shown) == sorted(expected)


def test_an_error_that_is_known_of_some_joints_has_a_cell_at_each(identification):
    joints = list(identification.verdict.joints)
    for number, urdf in enumerate((math.nan, 0.25, math.nan)):
        joints[number] = replace(joints[number], urdf_error=urdf)
    columns = {
        column.name: [cell.text for cell in column.cells]
        for column in error_columns(joints, EvaluationSettings(), None)
    }
    assert columns["URDF"] == ["–", "25.0 %", "–"]
    assert "held out" not in columns
    assert {len(cells) for cells in columns.values()} == {3}


def test_a_long_combination_is_collapsed():
    terms = " + ".join(f"0.125 M{number}" for number in range(2, 12))
    start, rest = split_sum(f"ZZ1R = ZZ1 + {terms}")
    assert start + rest == f"ZZ1 + {terms}"
    assert rest.startswith(" + 0.125 M")
    assert split_sum("ZZ1R = ZZ1 + XX2 + 0.25 M3") == ("ZZ1 + XX2 + 0.25 M3", "")


@pytest.mark.thorough
def test_a_report_of_a_million_samples_is_below_three_megabytes(make_identification):
    long = make_identification(samples=1_000_000, recordings=1)
    assert len(report_html(long)) < 3e6


def test_a_joint_that_never_moves_is_drawn_too(identification):
    names = ("position", "velocity", "acceleration", "torque")
    torque = tuple(np.zeros_like(t) for t in identification.model_torque)
    signals = tuple(
        replace(one, **dict.fromkeys(names, zero))
        for one, zero in zip(identification.signals, torque, strict=True)
    )
    still = replace(identification, signals=signals, measured_torque=torque, model_torque=torque)
    HtmlPage(report_html(still))


def test_a_report_without_the_path_of_the_tool_is_whole(identification, monkeypatch):
    def open_loop(*arguments):
        raise DynidError("the loops cannot be closed.")

    monkeypatch.setattr("dynid.report.report.moving_scene", open_loop)
    html = report_html(identification)
    found = HtmlPage(html)
    assert "path" not in found.ids
    assert set(re.findall(r'href="#([\w-]+)', html)) <= set(found.ids)


def test_a_validation_has_a_report_of_its_own(identification, tmp_path):
    path = tmp_path / "validation.html"
    write_validation_report(validation_of(identification), path)
    text = HtmlPage(path.read_text()).text
    assert "arm: validation of its dynamic model" in text
    assert "The model explains unseen recordings at every joint" in text
    assert f"Model of {iso_time(identification.provenance.created)} " in text
    assert "edited" not in text
    assert "Base parameters" not in text
    edited_at = datetime(2026, 5, 4, 3, 2, 1, tzinfo=timezone.utc)
    made = replace(identification.provenance, edited_at=edited_at)
    edited = replace(identification.model, provenance=made)
    write_validation_report(replace(validation_of(identification), model=edited), path)
    text = HtmlPage(path.read_text()).text
    assert f"Model of {made.dated}" in text
    assert "edited by hand on 2026-05-04T03:02:01" in text


def test_a_report_is_written_whole_or_not_at_all(identification, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(identification, path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


signals = arrays(float, st.integers(1, 400), elements=st.floats(-1e6, 1e6))


@given(signals, st.integers(1, 60))
def test_no_peak_is_lost_when_a_signal_is_decimated(values, buckets):
    time = np.arange(len(values)) * 0.1
    kept_time, kept = envelope(time, values, buckets)
    assert kept.min() == values.min()
    assert kept.max() == values.max()
    assert len(kept) <= 2 * buckets + 2
    assert (kept_time[0], kept_time[-1]) == (time[0], time[-1])
    assert np.all(np.diff(kept_time) > 0)
    assert all(values[round(t / 0.1)] == v for t, v in zip(kept_time, kept, strict=True))


@given(st.integers(1, 5000), st.integers(1, 900))
def test_rows_are_spread_over_all_of_a_recording(count, most):
    rows = evenly(count, most)
    assert len(rows) <= most
    assert rows[0] == 0
    assert rows[-1] == count - 1 or most == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1.000"),
        (1234.4, "1234"),
        (0.012344, "0.01234"),
        (1.2344e-5, "1.234 × 10⁻⁵"),
        (-6.0e23, "-6.000 × 10²³"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
    ],
)
def test_numbers_have_four_significant_digits(value, text):
    assert significant(value) == text


@given(st.floats(min_value=1e-12, max_value=1e12))
def test_a_shown_number_is_right_to_its_last_digit(value):
    text = significant(value).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    shown = float(text.replace(" × 10", "e"))
    assert abs(shown - value) <= 0.51e-3 * value


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.1386, "13.9 %"), (0.00517, "0.52 %"), (1.5, "150 %"), (math.nan, "–"), (math.inf, "∞")],
)
def test_fractions_are_shown_in_percent(fraction, text):
    assert percent(fraction) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("kg*m^2", "kg·m²"),
        ("N*m*s^3/rad^3", "N·m·s³/rad³"),
        ("N*m*s^0.5/rad^0.5", "N·m·√s/√rad"),
        ("N*m", "N·m"),
        ("1", ""),
        ("permille", "‰"),
    ],
)
def test_units_are_shown_as_in_print(text, shown):
    assert unit(text) == shown


@pytest.mark.parametrize(
    ("scale", "text"),
    [(0.006, "scale 0.006"), (5.99211e-6, "scale 5.99 × 10⁻⁶"), (0.12345, "scale 0.123")],
)
def test_scales_of_terms_are_short_numbers(identification, scale, text):
    term = TermSettings(kind="stribeck", scale=scale)
    model = replace(identification.model, robot=identification.robot.with_terms([term]))
    html = report_html(replace(identification, model=model))
    assert text in HtmlPage(html).text


def test_the_errors_before_and_after_are_bars_of_one_scale(identification, tmp_path):
    joints = tuple(
        replace(one, held_out_error=0.05, urdf_error=0.2) for one in identification.verdict.joints
    )
    compared = replace(identification, verdict=replace(identification.verdict, joints=joints))
    write_report(compared, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text("utf-8")
    bars = re.findall(r'class="bar (\w+)" style="margin-left: ([\d.]+)%; width: ([\d.]+)%"', html)
    assert bars == [
        ("measured", "0.0", "100.0"),
        ("model", "0.0", "25.0"),
        ("usual", "10.0", "40.0"),
    ]
