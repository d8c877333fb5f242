"""Every Python block of README and docs runs, on recordings of the simulated robot."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitting import build_problem
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.files import share_directories
from dynid.identification.settings import IdentificationSettings
from dynid.recording.convert import write_bag
from dynid.signals.preprocess import preprocess

mpl.use("Agg")
ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "```python" in path.read_text("utf-8")
)
ROBOT = "scara_2r"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages name: a profile and its URDF, two bags, a model."""
    folder = tmp_path_factory.mktemp("documentation")
    (share,) = share_directories()[:1]
    shutil.copy(share / "config" / "robots" / f"{ROBOT}.yaml", folder / "my_robot.yaml")
    robot = dynid.load_robot(folder / "my_robot.yaml")
    (folder / robot.urdf).write_text(robot.urdf_xml)
    for seed, name in enumerate(("work", "other")):
        settings = find_excitation(robot).model_copy(update={"seed": seed})
        motion = build_excitation(settings, robot.limits, robot.joints)
        write_bag(dynid.simulate(robot, motion, seed=seed), folder / f"{name}_bag")
        shutil.copy(next((folder / f"{name}_bag").glob("*.mcap")), folder / f"{name}.mcap")
    recording = dynid.load_recording(folder / "work.mcap", robot)
    dynid.identify(robot, recording).model.save(folder / "model.yaml")
    return folder


@pytest.fixture(scope="module")
def names(folder: Path) -> dict[str, object]:
    """What a page may take for granted, besides what its own blocks make."""
    robot = dynid.load_robot(folder / "my_robot.yaml")
    recordings = [dynid.load_recording(folder / "work.mcap", robot)]
    mechanism, signals = robot.mechanism(), [preprocess(one, robot) for one in recordings]
    base, settings = base_parameterization(mechanism), robot.settings(IdentificationSettings)
    q, dq, ddq = signals[0].position, signals[0].velocity, signals[0].acceleration
    return {
        "robot": robot,
        "recordings": recordings,
        "mechanism": mechanism,
        "model": dynid.load_model(folder / "model.yaml"),
        "excitation": build_excitation(find_excitation(robot), robot.limits, robot.joints),
        "problem": build_problem(mechanism, base, signals, settings),
        "q": q,
        "dq": dq,
        "ddq": ddq,
    }


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_blocks_run(
    page: Path, folder: Path, names: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    namespace = dict(names)
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), namespace)  # noqa: S102


def test_readme_shows_what_a_newcomer_needs_in_python() -> None:
    (first, *_) = blocks(ROOT / "README.md")
    for name in ("load_robot", "load_recording", "identify", "save", "load_model", "validate"):
        assert name in first
