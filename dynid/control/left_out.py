"""Spans of recordings that a user leaves out of tuning: ``16.1..17.0``, ``2:16.1..17.0``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.control.residual import CommandedResidual

_SPAN = re.compile(r"(?:(?P<recording>.+):)?(?P<start>[^:]+?)\.\.(?P<stop>[^:]+)")


def without_spans(
    residuals: Sequence[CommandedResidual], names: Sequence[str], spans: Sequence[str]
) -> list[CommandedResidual]:
    """Return residuals in which some spans count for nothing.

    Args:
        residuals: one for each recording.
        names: of the recordings, such as their files'.
        spans: each ``START..STOP`` in seconds since the recording's start; with several recordings
            after the number from 1, or the name, of one of them and a colon.

    Raises:
        ConfigurationError: a span is not in that form, is not within its recording, or leaves
            nothing of it.
    """
    shortened = list(residuals)
    for span in spans:
        number, start, stop = _parsed(span, names)
        seconds = len(shortened[number].error) / shortened[number].rate
        if not 0.0 <= start < stop <= seconds:
            raise ConfigurationError(
                f"--without {span}: must be from an earlier to a later time within the "
                f"{seconds:.6g} s of {names[number]}."
            )
        shortened[number] = shortened[number].without([(start, stop)])
        if not shortened[number].counts().any():
            raise ConfigurationError(
                f"--without {span}: leaves nothing of {names[number]}; do not name the recording."
            )
    return shortened


def _parsed(span: str, names: Sequence[str]) -> tuple[int, float, float]:
    """Return the recording's index, and start and stop [s]."""
    parts = _SPAN.fullmatch(span)
    try:
        if parts is None:
            raise ValueError(span)
        start, stop = float(parts["start"]), float(parts["stop"])
    except ValueError:
        raise ConfigurationError(
            f"--without {span}: must be START..STOP in seconds, such as 16.1..17.0, or "
            "2:16.1..17.0 in the second recording."
        ) from None
    return _recording(span, parts["recording"], names), start, stop


def _recording(span: str, given: str | None, names: Sequence[str]) -> int:
    """Return the index of the recording that a span names."""
    if given is None and len(names) == 1:
        return 0
    meant = [number for number, name in enumerate(names) if name == given]
    if not meant and given is not None and given.isdecimal() and 0 < int(given) <= len(names):
        meant = [int(given) - 1]
    if len(meant) == 1:
        return meant[0]
    what = "names no recording" if given is None else f"'{given}' is not one recording's name"
    raise ConfigurationError(
        f"--without {span}: {what}; write 1:START..STOP to {len(names)}:START..STOP, in the order "
        f"of the recordings {', '.join(names)}."
    )
