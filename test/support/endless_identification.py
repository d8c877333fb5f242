"""An identification in an identifier that runs until it is interrupted or released."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

import pytest

from dynid_ros import identifier

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def endless_identification() -> Iterator[tuple[Event, Event]]:
    """Replace the calculation; yield what is set when it begins, and what ends it by an error."""
    begun, released = Event(), Event()

    def wait(*_: object, **__: object) -> None:
        begun.set()
        while not released.wait(0.01):
            pass
        raise RuntimeError("no result")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identifier, "identify", wait)
        try:
            yield begun, released
        finally:
            released.set()
