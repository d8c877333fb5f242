"""The pages of a fleet as files: what they say, what they refer to, and that they are whole."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import dynid
from dynid.errors import WriteError
from dynid_plugins.fleet.site import build
from dynid_plugins.fleet.site.build import write_site
from dynid_plugins.fleet.site.pages import page_name

pytestmark = pytest.mark.thorough

_VOID = {"meta", "input", "path", "rect", "br"}


class _Page(HTMLParser):
    """Texts of table rows, links, and elements that are not closed."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.rows: list[str] = []
        self.scripts = 0
        self.bold: list[str] = []
        self._open: list[str] = []
        self.feed(path.read_text("utf-8"))
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        if tag not in _VOID:
            self._open.append(tag)
        self.scripts += tag == "script"
        if tag == "tr":
            self.rows.append("")
        self.links += [value for name, value in attrs if name in {"href", "src"}]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self.rows:
            self.rows[-1] += data


def test_robots_are_in_the_order_of_what_needs_a_person(site):
    rows = _Page(site / "index.html").rows[1:5]
    assert ["cell/0" in rows[0], "poor" in rows[1], "new" in rows[2]] == [True] * 3
    assert "<b>quiet</b>" in rows[3]
    assert "Payload or tool changed: mass +0.0" in rows[0]
    assert "3 of 23 recordings were not identified." in rows[1]
    assert "nothing found" in rows[3]


def test_every_link_leads_to_a_file(site):
    pages = sorted(site.glob("*.html"))
    assert len(pages) == 5
    for page in pages:
        for link in _Page(page).links:
            if not link.startswith("#"):
                assert (site / unquote(link.partition("#")[0])).is_file(), f"{page.name}: {link}"


def test_a_page_refers_to_nothing_elsewhere(site):
    for page in site.glob("*.html"):
        text = unescape(page.read_text("utf-8"))
        assert not re.findall(r"(?:https?:)?//[a-z]", text)
        assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in text
        assert text.count("<script>") == 1
        assert "<b>quiet</b>" not in page.read_text("utf-8")
        assert "connect-src" not in text


def test_the_page_of_a_changed_robot_shows_change_models_and_recordings(site, results):
    text = (site / page_name("cell/0")).read_text("utf-8")
    assert "Payload or tool changed: mass" in text
    assert "since 2026-03-15" in text.lower()
    assert "Before and after the latest change" in text
    assert "The models differ by more than their uncertainties explain" in text
    assert text.count("model.yaml</a>") == 20
    link = next(one for one in _Page(site / page_name("cell/0")).links if "/models/" in one)
    model = dynid.load_model(site / unquote(link))
    assert model.mechanism.joints == ("shoulder", "elbow", "wrist")


def test_temperatures_are_shown_where_they_are_recorded(site):
    quiet, changed = (
        (site / page_name(name)).read_text("utf-8") for name in ("<b>quiet</b>", "cell/0")
    )
    assert "<b>Temperature</b>" in quiet
    assert "Temperatures were not recorded" not in quiet
    assert "<b>Temperature</b>" not in changed
    assert "Temperatures were not recorded" in changed


def test_a_failure_has_its_reason_on_both_pages(site):
    for page in ("index.html", page_name("poor")):
        assert "has 12 samples; at least 100 are needed." in (site / page).read_text("utf-8")


def test_a_robot_that_cannot_be_watched_has_a_page(site):
    text = (site / page_name("new")).read_text("utf-8")
    assert "a reference of 10 needs at least 11" in text
    assert text.count("model.yaml</a>") == 3
    assert "First and last recording" in text


def test_a_site_is_replaced_as_a_whole(results, states, client, tmp_path, monkeypatch):
    write_site(results, states, client, tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    fewer = [one for one in states if one.robot != "new"]
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}

    def fails(*_, **__):
        raise WriteError("no space.")

    with monkeypatch.context() as patched:
        patched.setattr(build, "overview_page", fails)
        with pytest.raises(WriteError):
            write_site(results, fewer, client, tmp_path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before
    write_site(results, fewer, client, tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == before.keys() - {page_name("new")}
