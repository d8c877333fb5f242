"""Numbers and units as people read them."""

from __future__ import annotations

import math
import re

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NOT_KNOWN = "–"


def significant(value: float, digits: int = 4) -> str:
    """Return a number with ``digits`` significant digits: ``0.01234``, ``1.234 × 10⁻⁵``."""
    if math.isnan(value):
        return NOT_KNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa.removesuffix(".")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}" if exponent else mantissa


def percent(fraction: float) -> str:
    """Return a fraction in percent: ``13.9 %``, ``0.52 %``."""
    if not math.isfinite(fraction):
        return significant(fraction)
    share = 100 * fraction
    return f"{share:.0f} %" if abs(share) >= 100 else f"{share:.{1 if abs(share) >= 10 else 2}f} %"


def unit(text: str) -> str:
    """Return a unit with the signs of print: ``kg*m^2`` as ``kg·m²``."""
    named = {"permille": "‰", "Nm": "N·m", "1": ""}
    if text in named:
        return named[text]
    for power in ("2", "3"):
        text = text.replace(f"^{power}", power.translate(_SUPERSCRIPTS))
    return re.sub(r"(\w+)\^0\.5", r"√\1", text).replace("*", "·")


def count(number: int) -> str:
    """Return a count with its thousands apart."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
