"""The pages of a fleet in a browser: filters, keyboard, width, and nothing from elsewhere."""

from __future__ import annotations

import shutil

import pytest
from support.drawn_fleet import DrawnRobot, write_drawn_fleet

from dynid.report.local_server import answering, make_server
from dynid_plugins.fleet.site.live import LiveSite
from dynid_plugins.fleet.site.pages import page_name

PAGES = ["index.html", page_name("cell/0"), page_name("<b>quiet</b>"), page_name("new")]


def shown(page) -> list[str]:
    return [one.strip() for one in page.locator("#fleet tbody th:visible").all_inner_texts()]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [400, 1400])
def test_a_page_fits_the_window_and_loads_nothing(visit, site, name, width):
    found = visit(site / name, width=width)

    assert (found.errors, found.external, found.overflow) == ([], [], 0)
    assert len(found.requests) == 1
    for closed in found.page.locator("summary").all():
        if closed.is_visible():
            closed.click()
    assert found.overflow == 0


def test_filters_show_the_robots_that_fit(visit, site):
    page = visit(site / "index.html").page
    everything = shown(page)
    assert everything == ["cell/0", "poor", "new", "<b>quiet</b>"]
    page.fill("#search", "PAYLOAD nowhere")
    assert shown(page) == []
    assert page.is_visible("#none")
    page.fill("#search", "payload mass")
    assert shown(page) == ["cell/0"]
    assert page.inner_text("#shown") == "1 of 4 robots"
    page.fill("#search", "")
    page.select_option("#type", "welder")
    assert shown(page) == ["poor", "new"]
    page.select_option("#state", "failed")
    assert shown(page) == ["poor"]


def test_the_keyboard_alone_finds_and_opens_a_robot(visit, site):
    page = visit(site / "index.html").page
    page.keyboard.press("/")
    page.keyboard.type("poor")
    assert shown(page) == ["poor"]
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "poor":
            break
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('h1').textContent === 'poor'")
    page.go_back()
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert len(shown(page)) == 4


def test_without_scripts_every_robot_is_readable(visit, site):
    found = visit(site / "index.html", java_script_enabled=False)

    assert len(shown(found.page)) == 4
    assert not found.page.is_visible("#filters")
    found.page.click("text=cell/0")
    found.page.locator("h1", has_text="cell/0").wait_for()


def test_a_column_sorts_robots(visit, site):
    page = visit(site / "index.html").page
    page.click("#fleet thead >> text=failed")
    assert shown(page)[0] == "poor"


def test_live_pages_show_progress_and_new_results_and_keep_the_filter(
    visit, data_set, client, watch, tmp_path
):
    own = shutil.copytree(data_set, tmp_path / "own")
    live = LiveSite(own, client, watch)
    live.refresh()
    with answering(make_server(live.answer)) as address:
        found = visit(address)
        found.page.fill("#search", "new")
        assert shown(found.page) == ["new"]
        write_drawn_fleet(own, [DrawnRobot("newer", "welder", 3)])
        live.refresh()
        row = found.page.locator("#fleet tbody th", has_text="newer")
        row.wait_for()
        assert sorted(shown(found.page)) == ["new", "newer"]
        assert (found.errors, found.external) == ([], [])
