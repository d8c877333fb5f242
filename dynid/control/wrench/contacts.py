"""Contacts: spans in which the external torque is significant, and the links they may be on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array


@dataclass(frozen=True)
class Contact:
    """A contact of a robot with its environment.

    Attributes:
        start: first sample with contact, since the recording's start [s].
        stop: last one [s].
        peak: sample with the largest distance [s], at which links are compared.
        links: the fewest links whose probabilities together reach the confidence, most probable
            first; one if it can be distinguished.
        probabilities: of these.
        distance: squared Mahalanobis distance of the external torque from 0 at the peak.
    """

    start: float
    stop: float
    peak: float
    links: tuple[str, ...]
    probabilities: tuple[float, ...]
    distance: float

    @property
    def distinguished(self) -> bool:
        """Whether the link in contact is known."""
        return len(self.links) == 1

    def __str__(self) -> str:
        """Return a sentence."""
        return f"{self.start:.2f} to {self.stop:.2f} s: {contact_on(self.links)}"


def contact_on(links: Sequence[str]) -> str:
    """Return in words on which links there is a contact."""
    which = "" if len(links) == 1 else ", which cannot be distinguished"
    return f"contact on {' or '.join(links)}{which}"


def find_contacts(
    time: Array,
    distance: Array,
    contact: NDArray[np.bool_],
    probability: Array,
    links: Sequence[str],
    *,
    confidence: float,
    apart: float,
) -> tuple[Contact, ...]:
    """Return the contacts; spans less than ``apart`` [s] from each other are one.

    Args:
        time: (N,) [s].
        distance: squared Mahalanobis distance (N,).
        contact: whether there is contact (N,).
        probability: of the links (N, k).
        links: names, (k,).
        confidence: probability that the links of a contact reach together.
        apart: [s].
    """
    inside = np.flatnonzero(contact)
    if len(inside) == 0:
        return ()
    pieces = np.split(inside, np.flatnonzero(np.diff(time[inside]) > apart) + 1)
    contacts = []
    for piece in pieces:
        peak = int(piece[np.argmax(distance[piece])])
        likely, share = likely_links(probability[peak], links, confidence)
        contacts.append(
            Contact(
                float(time[piece[0]]),
                float(time[piece[-1]]),
                float(time[peak]),
                likely,
                share,
                float(distance[peak]),
            )
        )
    return tuple(contacts)


def likely_links(
    probability: Array, links: Sequence[str], confidence: float
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the fewest links whose probabilities (k,) reach a confidence together, and these."""
    order = np.argsort(-probability, kind="stable")
    count = int(np.searchsorted(np.cumsum(probability[order]), confidence)) + 1
    chosen = order[:count]
    return tuple(links[k] for k in chosen), tuple(float(probability[k]) for k in chosen)
