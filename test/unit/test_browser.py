"""The checks of pages in a browser see what they are for."""

from __future__ import annotations

import pytest

_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title>{head}</head>
<body style="margin: 0">{body}</body></html>"""


@pytest.fixture
def page(tmp_path):
    def written(body: str, head: str = ""):
        path = tmp_path / "page.html"
        path.write_text(_PAGE.format(head=head, body=body), encoding="utf-8")
        return path

    return written


def test_a_plain_page_has_nothing_to_report(visit, page):
    found = visit(page("<p>Text</p>"), width=400)

    assert (found.errors, found.external, found.overflow) == ([], [], 0)
    assert found.page.inner_text("p") == "Text"


def test_an_exception_in_a_page_is_an_error(visit, page):
    found = visit(page("<script>missing()</script>"))

    assert "missing is not defined" in "".join(found.errors)


def test_a_script_against_the_policy_of_a_page_is_an_error(visit, page):
    policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"

    found = visit(page("<script>document.title = 'run'</script>", policy))

    assert "Content Security Policy" in "".join(found.errors)
    assert found.page.title() == "t"


def test_a_picture_of_another_machine_is_external(visit, page):
    # the name cannot exist (RFC 2606), and the request is seen before it fails
    found = visit(page("<img src='http://picture.invalid/a.png' alt=''>"))

    assert found.external == ["http://picture.invalid/a.png"]


def test_a_page_that_is_too_wide_overflows(visit, page):
    found = visit(page("<div style='width: 500px'>wide</div>"), width=400)

    assert found.overflow == 100
