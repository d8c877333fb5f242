"""Lines of a text file, within the limits of size."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dynid.errors import RecordingError
from dynid.limits import RECORDING_CSV_BYTES, RECORDING_LINE_BYTES
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.names import shown

if TYPE_CHECKING:
    from pathlib import Path

# control characters, some of which count as white space in a number; and invalid UTF-8
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f\N{REPLACEMENT CHARACTER}]")

_MOST_NO_TEXT = 0.1
"""Largest share of lines with bytes that are not text in a damaged text file."""


@dataclass(frozen=True)
class Lines:
    """Lines of a file.

    Attributes:
        lines: every line without its end.
        no_text: numbers (from 0) of lines with bytes that are not text.
        ends_whole: whether the last line has a line end.
    """

    lines: list[str] = field(default_factory=list)
    no_text: list[int] = field(default_factory=list)
    ends_whole: bool = True


def read_lines(path: Path) -> Lines:
    """Read a text file in UTF-8.

    Raises:
        RecordingError: it cannot be read, is not text, or exceeds a limit.
    """
    name = shown(path)
    lines: list[str] = []
    no_text: list[int] = []
    whole, longest = True, RECORDING_LINE_BYTES.most
    try:
        size = path.stat().st_size
        RECORDING_CSV_BYTES.check(size, f"{name}: has {size} bytes", RecordingTooLargeError)
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            while line := file.readline(longest + 1):
                if len(line) > longest:
                    what = f"{name}: line {len(lines) + 1} has {len(line)} characters or more"
                    RECORDING_LINE_BYTES.refuse(what, RecordingTooLargeError)
                if _NO_TEXT.search(line):
                    no_text.append(len(lines))
                whole = line.endswith("\n")
                lines.append(line[:-1] if whole else line)
    except OSError as error:
        raise RecordingError(f"{name}: cannot be read ({error.strerror or error}).") from None
    if len(no_text) > _MOST_NO_TEXT * len(lines):
        raise RecordingError(
            f"{name}: is not a text file in UTF-8 ({len(no_text)} of {len(lines)} lines contain "
            "bytes that are not text)."
        )
    return Lines(lines, no_text, whole)
