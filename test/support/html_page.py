"""A page as a reader and a browser take it."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "link", "input"}
_LOADING = {"link", "img", "iframe", "object", "embed", "image", "base"}
_FETCHING = {"src", "srcset", "onload", "onclick", "onerror"}


class HtmlPage(HTMLParser):
    """Tags with their attributes, and texts; fails on a tag that is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "title", "script"} & set(self.open):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def ids(self) -> list[str | None]:
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @property
    def policies(self) -> list[str | None]:
        return [a["content"] for _, a in self.tags if "Policy" in (a.get("http-equiv") or "")]

    def assert_loads_nothing(self) -> None:
        """Fail if it has an external resource."""
        for word in ("http:", "https:", "@import"):
            assert word not in self.source
        assert "url(" not in self.source.replace("url(#", "")
        assert not _LOADING & {tag for tag, _ in self.tags}
        for _, attributes in self.tags:
            assert (attributes.get("href") or "#").startswith("#")
            assert not _FETCHING & attributes.keys()
