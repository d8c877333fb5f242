"""The page in a browser: from a robot and its recordings to the verdict on its model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.arm_files import ArmFiles, write_arm

from dynid.cli.start.session import StartSession
from dynid.cli.start.site import StartSite
from dynid.report.local_server import answering, make_server


@pytest.fixture
def arm(tmp_path: Path) -> ArmFiles:
    return write_arm(tmp_path)


@pytest.fixture
def address(arm: ArmFiles, tmp_path: Path) -> Iterator[str]:
    session = StartSession(tmp_path / "out", str(arm.profile), [arm.bag, arm.other_bag])
    site = StartSite(session)
    with answering(make_server(site.answer, accept=site.accept)) as root:
        yield root.rstrip("/") + site.root
    session.end()


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_its_window_and_loads_nothing_from_elsewhere(visit, address, width):
    found = visit(address, width=width)
    found.page.locator("#step-identify pre", has_text="dynid identify").first.wait_for()
    assert (found.errors, found.external, found.overflow) == ([], [], 0)


def test_the_whole_path_from_recordings_to_the_verdict(visit, address, arm, tmp_path):
    found = visit(address)
    page = found.page
    identify = page.locator("#step-identify")
    assert page.locator("#step-validate .run").is_disabled()
    page.get_by_label(f"use of {arm.other_bag}").select_option("validation")
    identify.locator("pre", has_text=f"{arm.bag} -o").first.wait_for()
    identify.locator(".run").click()
    card = page.frame_locator("#step-identify iframe").locator(".verdict")
    card.get_by_text("Succeeded").wait_for()
    assert "step good" in identify.get_attribute("class")
    page.locator("#step-validate .run").click()
    page.frame_locator("#step-validate iframe").get_by_text("unseen recordings").wait_for()
    assert found.overflow == 0
    assert [one for one in found.errors if "sandbox" not in one] == []
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="model.yaml", exact=True).click()
    model = tmp_path / "out" / "model.yaml"
    assert Path(downloaded.value.path()).read_bytes() == model.read_bytes()


def test_what_is_wrong_is_said_and_stays_until_the_next_action(visit, address, tmp_path):
    page = visit(address).page
    (tmp_path / "notes.pdf").write_bytes(b"x")
    page.set_input_files("#upload", tmp_path / "notes.pdf")
    page.locator("#problem", has_text="notes.pdf: is no recording and no robot").wait_for()
    (tmp_path / "new.csv").write_text("nothing\n")
    page.set_input_files("#upload", tmp_path / "new.csv")
    page.get_by_label(f"use of {tmp_path / 'out' / 'new.csv'}").select_option("identification")
    assert page.locator("#problem").is_hidden()
    for name in ("bag", "other_bag"):
        page.get_by_label(f"use of {tmp_path / name}", exact=True).select_option("nothing")
    page.locator("#step-info pre", has_text="new.csv -p").first.wait_for()
    page.locator("#step-identify .run").click()
    page.locator("#step-identify.wrong").wait_for()
    output = page.locator("#step-identify .output").inner_text()
    assert output.startswith("dynid: ")
    assert "Traceback" not in output
