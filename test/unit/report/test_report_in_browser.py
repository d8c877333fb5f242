"""The report as a reader meets it: in a browser, on a phone, on paper, and by keyboard."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from dynid.cli import main
from dynid.report.report import write_report

PDFTOTEXT = shutil.which("pdftotext")

LAST = 8.14  # [s] of two recordings of 3.99 s and the gap of 2 % between them


@pytest.fixture(scope="module")
def path(make_identification, tmp_path_factory):
    found = make_identification()
    base = replace(found.model.base, covariance=np.array([[1e-4, 9e-4], [9e-4, 1e-2]]))
    found = replace(found, model=replace(found.model, base=base))
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(found, path)
    return path


def curve(page, joint: int, name: str) -> str:
    return page.locator(f"#joint-{joint} path.{name}").first.get_attribute("d")


def readout(page, joint: int) -> str:
    """Return the values at the cursor as soon as the browser has seen that the chart is near."""
    shown = page.locator(f"#joint-{joint} .readout", has_text="measured")
    shown.first.wait_for()
    return shown.inner_text()


def shown_range(page) -> tuple[float, float]:
    first, last = re.findall(r"[\d.]+", page.locator(".toolbar .range").inner_text())[:2]
    return float(first), float(last)


@pytest.mark.parametrize("width", [320, 400, 700, 1400])
def test_words_of_commands_and_numbers_of_charts_are_never_cut(visit, path, width):
    page = visit(path, width=width).page
    lines = page.locator(".verdict code .word").evaluate_all(
        "words => words.map(word => word.getClientRects().length)"
    )
    assert len(lines) > 3
    assert set(lines) == {1}
    left = page.locator(".chart span.y").evaluate_all(
        "texts => Math.min(...texts.map(text => text.getBoundingClientRect().left))"
    )
    assert left >= 0


@pytest.mark.parametrize("width", [400, 800, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_and_loads_nothing(visit, path, width, scheme):
    seen = visit(path, width=width, color_scheme=scheme)
    seen.page.locator("#correlation").scroll_into_view_if_needed()
    picture = Image.open(io.BytesIO(seen.page.screenshot(full_page=True)))
    assert picture.width == width
    assert seen.overflow == 0
    assert seen.errors == []
    assert seen.requests == [path.as_uri()]


@pytest.mark.parametrize("width", [400, 1400])
def test_texts_of_charts_keep_their_size_at_every_width(visit, path, width):
    page = visit(path, width=width).page
    heights = page.locator("figure .plot span.y").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height).filter((height) => height)"
    )
    assert heights
    assert all(12 <= height <= 20 for height in heights)


def test_without_scripts_every_curve_is_there(visit, path):
    page = visit(path, java_script_enabled=False).page
    assert page.locator(".toolbar").count() == 0
    for joint in (1, 2, 3):
        for name in ("measured", "model", "error"):
            assert len(curve(page, joint, name)) > 1000


def test_dragging_over_one_joint_enlarges_all(visit, path):
    page = visit(path).page
    plot = page.locator("#joint-1 .plot").first
    plot.scroll_into_view_if_needed()
    before = [curve(page, joint, "model") for joint in (1, 2)]
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 40, steps=3)
    page.mouse.up()
    assert shown_range(page) == pytest.approx((0.25 * LAST, 0.5 * LAST), abs=0.03)
    page.locator("#joint-2").scroll_into_view_if_needed()
    for joint, old in zip((1, 2), before, strict=True):
        page.wait_for_function(
            "([id, old]) => document.querySelector(`${id} path.model`).getAttribute('d') !== old",
            arg=[f"#joint-{joint}", old],
        )
    page.get_by_role("button", name="whole time").click()
    assert shown_range(page) == (0.0, LAST)


def test_the_values_under_the_pointer_are_those_of_the_signals(visit, path, make_identification):
    page = visit(path).page
    plot = page.locator("#joint-2 .plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 40)
    text = readout(page, 2).replace("−", "-")
    time, measured, model, error = map(float, re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)[:4])
    identified = make_identification()
    row = round(100 * time)
    assert time == pytest.approx(0.2 * LAST, abs=0.02)
    rows = slice(row - 1, row + 2)  # the pointer is between two samples
    for shown, values in (
        (measured, identified.measured_torque[0]),
        (model, identified.model_torque[0]),
    ):
        size = np.ptp(values[:, 1])
        assert np.abs(values[rows, 1] - shown).min() < 1e-3 * size
    assert error == pytest.approx(model - measured, abs=2e-3 * size)


def test_the_keyboard_zooms_and_moves_the_cursor(visit, path):
    page = visit(path).page
    page.locator("#joint-1 .plot").first.focus()
    page.keyboard.press("+")
    assert shown_range(page) == pytest.approx((0.25 * LAST, 0.75 * LAST), abs=0.02)
    page.keyboard.press("ArrowRight")
    readout(page, 1)
    page.keyboard.press("0")
    assert shown_range(page) == (0.0, LAST)


def test_a_joint_that_comes_into_view_shows_the_values_at_the_cursor(visit, path):
    page = visit(path, height=200).page
    page.locator("#joint-1 .plot").first.focus()
    page.keyboard.press("ArrowRight")
    moment = readout(page, 1).partition(" s:")[0]
    page.locator("#joint-3").scroll_into_view_if_needed()
    assert readout(page, 3).startswith(f"{moment} s:")


def test_one_joint_can_be_shown_alone(visit, path):
    page = visit(path).page
    page.get_by_label("joints shown").select_option(label="lift")
    assert [page.locator(f"#joint-{number}").is_visible() for number in (1, 2, 3)] == [
        False,
        False,
        True,
    ]


def test_a_table_is_sorted_by_a_click_on_its_header(visit, path):
    page = visit(path).page
    table = page.get_by_role("region", name="base parameters")
    names = table.locator("tbody th")
    table.get_by_role("button", name="value").click()
    assert names.all_inner_texts() == ["ZZ1R", "MX2R", "Fv1"]
    table.get_by_role("button", name="std. deviation").click()
    assert names.all_inner_texts() == ["MX2R", "ZZ1R", "Fv1"]  # unknown ones at the end
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("std. deviation")


def test_on_paper_nothing_scrolls_and_every_part_is_there(visit, path):
    page = visit(path, width=1000).page
    page.emulate_media(media="print")
    assert page.locator(".toolbar").is_hidden()
    cut = page.locator(".wide").evaluate_all(
        "all => all.filter((one) => getComputedStyle(one).overflowX !== 'visible' "
        "|| one.scrollWidth > one.clientWidth).length"
    )
    assert cut == 0
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")


def test_on_paper_six_joints_stand_in_a_row_and_findings_fill_pages(visit, path):
    page = visit(path, width=1039).page  # A4 landscape without its margins
    page.emulate_media(media="print")
    for charts in (".joints", ".charts"):
        columns = page.locator(charts).first.evaluate(
            "one => getComputedStyle(one).gridTemplateColumns.split(' ').length"
        )
        assert columns >= 6
    assert page.locator(".finding").evaluate_all(
        "all => all.every((one) => getComputedStyle(one).breakInside === 'auto')"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_problem(visit, path, scheme):
    package = pytest.importorskip(
        "axe_playwright_python", reason="axe-playwright-python: pip install 'dynid[test]'"
    )
    page = visit(path, color_scheme=scheme).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    # the page's policy allows no other script in it; this one is the debugger's
    page.evaluate((files(package) / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run()")
    assert [
        (one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]
    ] == []


def test_the_table_of_errors_fits_a_wide_window_with_long_names(visit, path):
    page = visit(path).page
    hidden = page.evaluate(
        """() => {
          const table = document.querySelector('[aria-label="torque errors"]');
          for (const name of table.querySelectorAll("tbody th a")) {
            name.textContent = "shoulder_lift_joint";
          }
          return table.scrollWidth - table.clientWidth;
        }"""
    )
    assert hidden == 0


def test_a_narrow_window_keeps_the_names_of_rows_in_view(visit, path):
    page = visit(path, width=400).page
    page.get_by_text("More: motion and rest").click()
    table = page.locator('[aria-label="more torque errors"]')
    assert table.evaluate("all => all.scrollWidth > all.clientWidth + 100")
    table.evaluate("all => { all.scrollLeft = 10000; }")
    left = table.evaluate(
        "all => all.querySelector('tbody th').getBoundingClientRect().left"
        " - all.getBoundingClientRect().left"
    )
    assert left == pytest.approx(0, abs=1)


@pytest.mark.parametrize("label", ["base parameters", "provenance"])
def test_rows_of_a_narrow_window_are_not_high(visit, path, label):
    """A column that is out of view must not wrap letter by letter."""
    page = visit(path, width=400).page
    heights = page.locator(f'[aria-label="{label}"] tbody tr').evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert max(heights) < 90


@pytest.mark.parametrize("java_script_enabled", [True, False])
def test_every_error_has_a_scale_of_two_numbers_or_more(visit, path, java_script_enabled):
    page = visit(path, java_script_enabled=java_script_enabled).page
    for joint in (1, 2, 3):
        page.locator(f"#joint-{joint}").scroll_into_view_if_needed()
        numbers = page.locator(f"#joint-{joint} .low .plot span.y")
        numbers.nth(1).wait_for()
        assert numbers.count() <= 7


def test_on_paper_is_what_the_reader_has_opened(visit, path):
    page = visit(path).page
    more = page.get_by_role("region", name="more torque errors", include_hidden=True)
    page.emulate_media(media="print")
    assert more.is_hidden()
    page.emulate_media(media="screen")
    page.get_by_text("More: motion and rest").click()
    page.emulate_media(media="print")
    assert more.is_visible()


@pytest.mark.thorough
def test_the_report_of_the_demo_has_at_most_8_pages_of_paper(visit, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["dynid", "demo", "--without-ros", "-o", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    pdf = visit(tmp_path / "report.html").page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type ?/Page[^s]", pdf)) <= 8


def test_on_paper_no_letters_are_larger_than_the_others_of_a_table(visit, path):
    page = visit(path).page
    page.emulate_media(media="print")
    sizes = page.locator('[aria-label="base parameters"] tbody td').evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert max(sizes) < 10


@pytest.mark.skipif(PDFTOTEXT is None, reason="pdftotext: apt install poppler-utils")
def test_the_head_of_a_long_table_is_on_each_page_of_paper(visit, path, tmp_path):
    page = visit(path).page
    page.evaluate(
        """() => {
          const body = document.querySelector('[aria-label="base parameters"] tbody');
          for (let i = 0; i < 150; i++) { body.append(body.rows[0].cloneNode(true)); }
        }"""
    )
    page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    text = subprocess.run(
        [PDFTOTEXT, "-layout", tmp_path / "report.pdf", "-"], capture_output=True, check=True
    ).stdout.decode()
    # once on the page where it begins, and on each of those that only continue it
    assert text.count("std. deviation") >= 4
