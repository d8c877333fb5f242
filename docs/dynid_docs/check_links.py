"""Check that every link within the built site leads to a page and to a place on it.

Run ``PYTHONPATH=docs python -m dynid_docs.check_links build/docs``, as ``make docs`` does.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The identifiers of a page, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if value and (name == "src" or (name == "href" and tag in {"a", "link"})):
                self.targets.append(value)


@cache
def _page(path: Path) -> _Page:
    return _Page(path.read_text("utf-8"))


def broken_links(site: Path) -> list[str]:
    """Return a line for each broken link."""
    return [
        f"{path.relative_to(site)}: {target}: {problem}"
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
        for target in _page(path).targets
        if (problem := _problem(path, target))
    ]


def _problem(page: Path, target: str) -> str:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return "" if parts.scheme != "file" else "a path of this machine"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return "no such file"
    here = unquote(parts.fragment)
    if here and path.suffix == ".html" and here not in _page(path).ids:
        return "no such place on the page"
    return ""


def main() -> None:
    """Print what is broken, and fail if anything is."""
    broken = broken_links(Path(sys.argv[1]).resolve())
    sys.stdout.writelines(f"{line}\n" for line in broken)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
