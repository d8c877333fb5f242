"""The live pages follow the data set, and are for this machine alone."""

from __future__ import annotations

import json
import shutil
from http.client import HTTPConnection

import pytest
from support.deadlines import LONGEST
from support.drawn_fleet import DrawnRobot, write_drawn_fleet

from dynid.errors import ConfigurationError
from dynid.report.local_server import HOST, answering, make_server
from dynid_plugins.fleet.progress import left_progress
from dynid_plugins.fleet.site import live
from dynid_plugins.fleet.site.live import LiveSite, serve_fleet
from dynid_plugins.fleet.site.pages import page_name


@pytest.fixture
def own(data_set, tmp_path):
    return shutil.copytree(data_set, tmp_path / "own")


def text(site: LiveSite, path: str) -> str:
    answer = site.answer(path)
    assert answer is not None
    return answer.content.decode()


def news(site: LiveSite) -> dict:
    return json.loads(text(site, "/progress.json"))


@pytest.mark.thorough
def test_pages_are_made_again_only_for_robots_that_changed(own, client, watch, monkeypatch):
    drawn: list[str] = []
    pages = live.robot_pages

    def recorded(results, states, *rest, **options):
        drawn.extend(one.robot for one in states)
        return pages(results, states, *rest, **options)

    monkeypatch.setattr(live, "robot_pages", recorded)
    site = LiveSite(own, client, watch)
    assert "The pages are being made" in text(site, "/")
    assert site.refresh()
    assert len(drawn) == 4
    assert "cell/0" in text(site, "/")
    assert not site.refresh()
    drawn.clear()
    write_drawn_fleet(own, [DrawnRobot("new", "welder", 5)])
    before = news(site)["build"]
    assert site.refresh()
    assert drawn == ["new"]
    assert news(site)["build"] == before + 1
    assert site.answer(f"/{page_name('cell/0').replace('%', '%25')}") is not None


@pytest.mark.thorough
def test_models_of_the_data_set_are_served_and_nothing_else(own, client, watch):
    site = LiveSite(own, client, watch)
    site.refresh()
    assert "robot: arm" in text(site, "/data/models/new/0.yaml")
    (own / "secret").write_text("secret")
    for path in ("/data/secret", "/data/../secret", "/../own/secret", "/data/.lock", "/x.html"):
        assert site.answer(path) is None


@pytest.mark.thorough
def test_a_damaged_data_set_is_a_sentence_and_the_pages_stay(own, client, watch):
    site = LiveSite(own, client, watch)
    site.refresh()
    (own / "recordings" / "new.parquet").write_bytes(b"nothing")
    assert not site.refresh()
    assert "new.parquet: is damaged" in news(site)["text"]
    assert "cell/0" in text(site, "/")


def test_the_progress_of_a_run_is_told(own, client, watch):
    site = LiveSite(own, client, watch)
    with left_progress(own, lambda _done, _all: None) as report:
        report(3, 7)
        assert "dynid fleet identify is running: 3 of 7 recordings." in news(site)["text"]
    assert "ended after 3 of 7 recordings; run it again." in news(site)["text"]


def test_pages_of_other_sites_cannot_read_the_server(own, client, watch):
    site = LiveSite(own, client, watch)
    with answering(make_server(site.answer)) as address:
        port = int(address.rsplit(":", 1)[1].rstrip("/"))
        found = []
        for host in (f"{HOST}:{port}", "elsewhere.example"):
            connection = HTTPConnection(HOST, port, timeout=LONGEST)
            connection.request("GET", "/progress.json", headers={"Host": host})
            found.append(connection.getresponse().status)
            connection.close()
    assert found == [200, 403]


def test_a_missing_folder_is_refused(tmp_path, client):
    with pytest.raises(ConfigurationError, match="is not a folder"):
        serve_fleet(tmp_path / "none", client, ready=print, browse=False)


def test_an_interruption_ends_the_server(own, client, watch, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    addresses: list[str] = []
    monkeypatch.setattr(LiveSite, "refresh", interrupted)
    serve_fleet(own, client, watch=watch, ready=addresses.append, browse=False)
    assert addresses[0].startswith("http://127.0.0.1:")
