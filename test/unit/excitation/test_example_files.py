"""Example files of excitations are safe for their robots."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.excitation.files import read_excitation
from dynid.excitation.settings import SineSettings, SplineSettings
from dynid.files import share_directories
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.report.terminal.sine import sine_repetition

FOLDER = share_directories()[0] / "config" / "excitations"
EXAMPLES = sorted(FOLDER.glob("*.yaml"))


def robot_of(path: Path) -> str:
    return path.stem.partition("_")[0]


def test_there_is_an_example_of_a_sine_and_of_a_spline() -> None:
    types = {type(read_excitation(path)) for path in EXAMPLES}
    assert types == {SineSettings, SplineSettings}


@pytest.mark.thorough
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_keeps_every_limit_of_its_robot(path: Path) -> None:
    assert make_plan(load_robot(robot_of(path)), excitation=path).excitation.duration > 1


def test_the_sine_does_not_repeat_early() -> None:
    path = FOLDER / "puma560_sine.yaml"
    settings = read_excitation(path)
    assert isinstance(settings, SineSettings)
    assert sine_repetition(settings, load_robot("puma560").joints).good
