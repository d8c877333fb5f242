"""The site of docs/: its tables are current and complete, and every page is in the navigation.

`make docs` builds the site itself, where a warning is an error.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from dynid_docs.check_links import broken_links
from dynid_docs.parameter_tables import PAGES, controller_parameters, profile_keys

import dynid
import dynid_plugins

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE_FILES = sorted(DOCS.rglob("*.md"))
PROFILE = (DOCS / "profile.md").read_text("utf-8")
CONTROLLERS = (DOCS / "controller-parameters.md").read_text("utf-8")


def rows(page: str) -> list[list[str]]:
    """Cells of all rows of a page's tables, whose first one is a key."""
    found = re.findall(r"^\| (`.*) \|$", page, re.MULTILINE)
    return [re.split(r" (?<!\\)\| ", line) for line in found]


def parameters(content: dict[str, dict], prefix: str = "") -> list[str]:
    return [
        key
        for name, entry in content.items()
        for key in (
            [f"{prefix}{name}"] if "type" in entry else parameters(entry, f"{prefix}{name}.")
        )
    ]


@pytest.mark.parametrize("name", PAGES)
def test_generated_tables_are_current(name: str) -> None:
    written = (DOCS / name).read_text("utf-8")
    assert written == PAGES[name](), "run: PYTHONPATH=docs python -m dynid_docs.parameter_tables"


def test_every_key_of_a_profile_is_in_the_table() -> None:
    listed = {cells[0].strip("`").split(".")[-1] for cells in rows(PROFILE)}
    listed |= set(re.findall(r"^## `(\w+)`$", PROFILE, re.MULTILINE))
    accepted = {key for _, key in profile_keys()}
    assert len(accepted) > 100
    assert accepted <= {re.sub(r".*\]", "", key) for key in listed}


def test_the_profile_that_users_copy_names_pages_that_exist() -> None:
    text = (ROOT / "config" / "robots" / "puma560.yaml").read_text("utf-8")
    pages = re.findall(r"docs/[a-z-]+\.md", text)
    assert "docs/profile.md" in pages
    assert all((ROOT / page).is_file() for page in pages)
    profiles = re.findall(r"\w+\.yaml", text)
    assert all((ROOT / "config" / "robots" / name).is_file() for name in profiles)


def test_every_parameter_of_the_controllers_is_in_the_table() -> None:
    listed = set()
    for part in re.split(r"^##+ ", CONTROLLERS, flags=re.MULTILINE):
        prefix = (re.findall(r"`([\w.]+)…`", part.splitlines()[0]) or [""])[0]
        listed |= {prefix + cells[0].strip("`") for cells in rows(part)}
    for controller in ("feedforward_controller", "drive_monitor"):
        assert set(parameters(controller_parameters(controller))) <= listed


@pytest.mark.parametrize("page", [PROFILE, CONTROLLERS], ids=["profile", "controllers"])
def test_every_key_has_a_meaning(page: str) -> None:
    short = [cells[0] for cells in rows(page) if len(cells[-1].split()) < 2]
    assert not short


def test_every_page_is_in_the_navigation() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    trees = re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)
    listed = {re.sub(r".*<(.*)>", r"\1", line) for tree in trees for line in tree.splitlines()}
    pages = {str(path.relative_to(DOCS).with_suffix("")) for path in PAGE_FILES}
    assert pages - listed == {"index"}


def test_a_new_page_replaces_an_old_one() -> None:
    assert len(PAGE_FILES) <= 35


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: path.stem)
def test_a_page_begins_with_what_it_is_for_and_for_whom(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if line]
    title, first = [line for line in lines if not line.startswith("<!--")][:2]
    assert title.startswith("# ")
    assert first.startswith("For ")


def anchors(page: Path) -> set[str]:
    """Places of a page that links may name, as GitHub and the site call them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "llms.txt"])
def test_links_of_pages_outside_of_the_site_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for path, anchor in re.findall(r"\]\((?![a-z]+:)([^)#\s]+)#?([^)\s]*)\)", text):
        assert (ROOT / path).exists(), path
        assert not anchor or anchor in anchors(ROOT / path), f"{path}#{anchor}"


def test_every_public_name_is_in_the_python_reference() -> None:
    page = (DOCS / "api" / "python.md").read_text("utf-8")
    documented = set(re.findall(r"^\.\. auto\w+:: (\w+)$", page, re.MULTILINE))
    plugins = [
        import_module(f"dynid_plugins.{plugin.name}")
        for plugin in iter_modules(dynid_plugins.__path__)
    ]
    names = {name for plugin in plugins for name in getattr(plugin, "__all__", ())}
    assert documented == {*dynid.__all__} - {"__version__"} | names


def test_broken_links_of_a_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="#top"></a><a href="b.html#x"></a><a href="c.html"></a>'
        '<a href="https://example.org"></a>'
    )
    (tmp_path / "b.html").write_text('<p id="y"></p><img src="missing.png">')
    assert broken_links(tmp_path) == [
        "a.html: b.html#x: no such place on the page",
        "a.html: c.html: no such file",
        "b.html: missing.png: no such file",
    ]
