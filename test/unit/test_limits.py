"""Limits on what is read, and the settings that raise them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid import limits
from dynid.errors import ConfigurationError, RecordingError
from dynid.limits import InputLimit

PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def test_input_up_to_the_limit_is_read() -> None:
    InputLimit("DYNID_MAX_TEETH", 32).check(32, "jaw: has 32 teeth")


@pytest.mark.parametrize("amount", [33, 1e300, float("inf"), float("nan")])
def test_larger_input_is_refused_with_the_name_of_the_setting(amount: float) -> None:
    with pytest.raises(RecordingError, match=r"^jaw: .*at most 32 .*DYNID_MAX_TEETH") as refused:
        InputLimit("DYNID_MAX_TEETH", 32).check(amount, "jaw: has more teeth", RecordingError)
    assert str(refused.value).endswith(".")


def test_the_setting_replaces_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_TEETH", "40")
    InputLimit("DYNID_MAX_TEETH", 32).check(40, "jaw: has 40 teeth")


@pytest.mark.parametrize("given", ["many", "-1", "0", "1e9", "1.5", "9" * 30])
def test_a_setting_that_is_no_number_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNID_MAX_TEETH", given)
    with pytest.raises(ConfigurationError, match="DYNID_MAX_TEETH: must be a whole number"):
        InputLimit("DYNID_MAX_TEETH", 32).check(1, "jaw: has 1 tooth")


@pytest.mark.parametrize("limit", limits.ALL, ids=lambda limit: limit.setting)
def test_the_security_page_lists_every_limit(limit: InputLimit) -> None:
    row = f"| `{limit.setting}` | {limit.default:,} |".replace(",", " ")
    assert row in PAGE.read_text("utf-8")


def test_no_limit_is_left_out_of_the_list() -> None:
    found = {one for one in vars(limits).values() if isinstance(one, InputLimit)}
    assert found == set(limits.ALL)
