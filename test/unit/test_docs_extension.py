"""The Sphinx extension of docs/: headers, links and notebooks as Markdown; after `make docs`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("myst_parser", reason="the extra 'docs' is installed by `make docs`")

from dynid_docs import cpp_headers, notebooks, repository

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_public_header_is_in_the_reference_of_cpp() -> None:
    page = (DOCS / "api" / "cpp.md").read_text("utf-8")
    listed = re.findall(r"^```\{cpp-header\} (.*)$", page, re.MULTILINE)
    assert sorted(listed) == cpp_headers.public_headers()


def test_headers_become_declarations_with_their_comments() -> None:
    header = """
namespace dynid
{

/// A pair of numbers.
struct Pair
{
  double a = 0.0;  ///< of the first kind [N*m],
                   ///< or none
  /// Their sum.
  [[nodiscard]] double sum() const noexcept { return a; }

private:
  double b_;
};

}  // namespace dynid
"""
    lines = [line for line in cpp_headers.as_markdown(header) if line.strip(":")]
    assert [line.lstrip(":") for line in lines] == [
        "{cpp:struct} Pair",
        "A pair of numbers.",
        "{cpp:member} double a",
        r"of the first kind \[N\*m\],",
        "or none",
        "{cpp:function} double sum() const noexcept",
        "Their sum.",
    ]


@pytest.mark.parametrize(
    ("page", "folder", "link", "expected"),
    [
        ("robots", "docs", "../config/robots/ur10.yaml", "repo:config/robots/ur10.yaml"),
        ("api/cpp", "docs/api", "../../examples/cpp", "repo:examples/cpp"),
        ("robots", "docs", "drives.md#delays", "drives.md#delays"),
        ("robots", "docs", "../CONTRIBUTING.md", "repo:CONTRIBUTING.md"),
        ("robots", "docs", "https://example.org/a", "https://example.org/a"),
        ("robots", "docs", "../no/such/file.yaml", "../no/such/file.yaml"),
    ],
)
def test_links_lead_to_where_the_site_has_their_targets(
    page: str, folder: str, link: str, expected: str
) -> None:
    text = f"A [link]({link}).\n```\n[code]({link})\n```\n"
    made = repository.rewritten(text, ROOT / folder, page)
    assert made == f"A [link]({expected}).\n```\n[code]({link})\n```\n"


def test_a_notebook_becomes_markdown_with_its_saved_outputs() -> None:
    notebook = """{"cells": [
      {"cell_type": "markdown", "source": ["# Title\\n", "text"]},
      {"cell_type": "code", "source": "print(1)", "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["1\\n"]},
        {"output_type": "display_data", "data": {"image/png": "iVBO\\n", "text/plain": "<F>"}}]}
    ]}"""
    assert notebooks.as_markdown(notebook).split("\n\n") == [
        "# Title\ntext",
        "```python\nprint(1)\n```",
        "```text\n1\n```",
        "![output](data:image/png;base64,iVBO)",
    ]
