"""Blocks of lines, against Python's own reading of the whole file."""

from itertools import pairwise

import pytest

from dynid.recording import text_lines
from dynid.recording.text_lines import open_text


@pytest.mark.parametrize("block", [3, 5, 7, 2**19])
@pytest.mark.parametrize(
    "content",
    [
        b"a\r\nb\rc\n\nd",
        b"\xef\xbb\xbfa,b\n1,2\n",
        b"a\r",
        b"\r\n\r\n",
        b"longer than a block\nx\xff\xc3\x28y\n\x0b\x0c\x1c\n",
        "é,ü\r\n€\n".encode(),
        b"",
    ],
)
def test_blocks_have_the_lines_of_the_whole_file(tmp_path, monkeypatch, block, content):
    monkeypatch.setattr(text_lines, "_BLOCK", block)
    monkeypatch.setattr(text_lines, "_MOST_NO_TEXT", 1.0)
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    whole = path.read_text(encoding="utf-8-sig", errors="replace")
    expected = whole.split("\n")[: -1 if whole.endswith("\n") or not whole else None]
    text = open_text(path)
    found = [line for one in text.blocks() for line in one.lines()]
    firsts = [(one.first, one.size) for one in text.blocks()]
    assert found == expected
    assert all(a + size == b for (a, size), (b, _) in pairwise(firsts))
    while expected and not expected[-1].strip():
        expected.pop()
    assert text.count == len(expected)
