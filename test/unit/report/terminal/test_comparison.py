"""Two models as `dynid model compare` prints them."""

from __future__ import annotations

from types import SimpleNamespace

from rich.console import Console

from dynid.report.terminal.comparison import print_model_comparison


def _printed(first: float, second: float) -> str:
    parameter = SimpleNamespace(name="ZZ1R", first=first, second=second, score=0.5, unit="kg*m^2")
    model = SimpleNamespace(robot=SimpleNamespace(name="arm", gravity="down"), mechanism=None)
    comparison = SimpleNamespace(
        first=model,
        second=model,
        parameters=[parameter],
        only_one=[],
        distance=0.25,
        freedom=1,
        probability=0.6,
        workspace=[],
        recordings=[],
    )
    console = Console(width=100)
    with console.capture() as capture:
        print_model_comparison(console, comparison)  # type: ignore[arg-type]
    return capture.get()


def test_equal_parameters_are_counted_instead_of_rows_of_zeros() -> None:
    printed = _printed(1.25, 1.25)
    assert "All 1 parameters are equal." in printed
    assert "ZZ1R" not in printed


def test_different_parameters_have_rows() -> None:
    assert "ZZ1R" in _printed(1.25, 1.5)
