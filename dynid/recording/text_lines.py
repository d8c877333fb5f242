"""Lines of a text file, within the limits of size; read block by block, never all at once."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dynid.errors import RecordingError
from dynid.limits import RECORDING_CSV_BYTES, RECORDING_LINE_BYTES
from dynid.recording.limits import RecordingTooLargeError
from dynid.text import shown

# control characters, some of which count as white space in a number; and invalid UTF-8
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f\N{REPLACEMENT CHARACTER}]")

_MOST_NO_TEXT = 0.1
"""Largest share of lines with bytes that are not text in a damaged text file."""

_BLOCK = 2**19  # [bytes]
_BEGIN = 256  # [bytes] that show the encoding
_ANY = bytes(range(256))
_NUMBERS = b"0123456789+-.eE,;naifNAIF \t\n"


class LineBlock(NamedTuple):
    r"""Lines that follow each other, each with ``\n``, which the last one of a file may lack.

    ``first`` is the number of its first line in the file, from 0, and ``size`` that of its lines.
    """

    first: int
    size: int
    raw: bytes

    @property
    def plain(self) -> bool:
        """Whether it has only characters of numbers and delimiters, each of one byte."""
        return not self.raw.translate(None, _NUMBERS)

    def has_width(self, width: int, delimiter: str | None) -> bool:
        """Return whether every line has that many cells; False if that is not sure."""
        if delimiter is None or delimiter.isspace() or not delimiter.isascii() or width < 2:
            return False
        mark = delimiter.encode()
        marks = self.raw.translate(None, _ANY.replace(mark, b"").replace(b"\n", b""))
        return marks == (mark * (width - 1) + b"\n") * self.size

    def lines(self) -> list[str]:
        """Return the lines without their ends."""
        lines = self.raw.decode(errors="replace").split("\n")
        return lines[:-1] if self.raw.endswith(b"\n") else lines

    def head_lines(self) -> list[str]:
        """Return the lines, of which those that are not UTF-8 are as Windows writes them."""
        lines = self.lines()
        for place, raw in enumerate(self.raw.split(b"\n")[: len(lines)]):
            if "\N{REPLACEMENT CHARACTER}" in lines[place]:
                lines[place] = raw.decode("cp1252", errors="replace")
        return lines


@dataclass(frozen=True)
class TextFile:
    """A text file.

    Attributes:
        path: of the file.
        count: number of lines, without blank ones at the end.
        no_text: numbers (from 0) of lines with bytes that are not text.
        ends_whole: whether the last line has a line end.
    """

    path: Path
    count: int
    no_text: tuple[int, ...]
    ends_whole: bool

    def blocks(self) -> Iterator[LineBlock]:
        """Yield all lines.

        Raises:
            RecordingError: the file cannot be read, or a line exceeds the limit.
        """
        return _blocks(self.path)


def estimated_lines(path: Path) -> int:
    """Return about how many lines a file has, by the length of its first ones."""
    with path.open("rb") as file:
        head = file.read(_BLOCK)
    return path.stat().st_size * head.count(b"\n") // max(len(head), 1)


def open_text(path: Path) -> TextFile:
    """Check a text file in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        RecordingError: it cannot be read, is not text, or exceeds a limit.
    """
    no_text: list[int] = []
    total = count = 0
    whole = True
    for block in _blocks(path):
        total = block.first + block.size
        whole = block.raw.endswith(b"\n")
        lines = [] if block.plain else block.lines()
        if any(map(_NO_TEXT.search, lines)):
            no_text += [block.first + n for n, line in enumerate(lines) if _NO_TEXT.search(line)]
        count = _end_of_text(block, lines) or count
    if len(no_text) > _MOST_NO_TEXT * total:
        raise RecordingError(
            f"{shown(path)}: is not a text file in UTF-8 ({len(no_text)} of {total} lines contain "
            "bytes that are not text)."
        )
    return TextFile(path, count, tuple(no_text), whole)


def _end_of_text(block: LineBlock, lines: list[str]) -> int:
    """Return the number of lines up to the last one of a block that is not blank, or 0.

    There are no ``lines`` of a block that is plain.
    """
    if not lines:
        text = block.raw.rstrip(b" \t\n")
        return block.first + text.count(b"\n") + 1 if text else 0
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    return block.first + count if count else 0


def _blocks(path: Path) -> Iterator[LineBlock]:
    name = shown(path)
    try:
        length = path.stat().st_size
        RECORDING_CSV_BYTES.check(length, f"{name}: has {length} bytes", RecordingTooLargeError)
        first = 0
        for raw in _whole_lines(path, 4 * RECORDING_LINE_BYTES.most):
            size = raw.count(b"\n") + (not raw.endswith(b"\n"))
            block = LineBlock(first, size, raw)
            _check_lengths(block, name)
            yield block
            first += block.size
    except OSError as error:
        raise RecordingError(f"{name}: cannot be read ({error.strerror or error}).") from None


def _whole_lines(path: Path, longest: int) -> Iterator[bytes]:
    r"""Yield the content of a file in pieces of complete lines, with ``\n`` as their end.

    An incomplete line of ``longest`` bytes is yielded, too.
    """
    with path.open("rb") as file:
        mark = file.read(_BEGIN)
        # in UTF-16, one half of each character of a number is zero
        wide = mark.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and 0 in mark
        decode = codecs.getincrementaldecoder("utf-16")("replace").decode
        rest = decode(mark).encode() if wide else mark.removeprefix(codecs.BOM_UTF8)
        while piece := file.read(_BLOCK):
            rest += decode(piece).encode() if wide else piece
            # the other half of a line end may follow
            half = b"\r" if rest.endswith(b"\r") else b""
            rest = _with_newlines(rest.removesuffix(half))
            cut = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > longest else 0)
            if cut:
                yield rest[:cut]
            rest = rest[cut:] + half
        if rest:
            yield _with_newlines(rest)


def _with_newlines(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw


def _check_lengths(block: LineBlock, name: str) -> None:
    longest = RECORDING_LINE_BYTES.most
    if len(block.raw) <= longest:
        return
    lines = block.lines()
    for number, line in enumerate(lines):
        # the end of a line counts, and only the last one may lack it
        if len(line) + (number + 1 < len(lines) or block.raw.endswith(b"\n")) > longest:
            what = f"{name}: line {block.first + number + 1} has {longest + 1} characters or more"
            RECORDING_LINE_BYTES.refuse(what, RecordingTooLargeError)
