"""The blocks of README and docs run.

The tutorials run as a whole, each in a folder that is empty at first, and print what they quote; of
the other pages, the Python blocks run on recordings of a simulated robot.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
import pytest
from support.pages import ROOT, Block, Reader, difference, read_blocks

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitting import build_problem
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.files import share_directories
from dynid.identification.settings import IdentificationSettings
from dynid.recording.convert import write_bag
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid_ros.discovery_range import enter_own_domain

mpl.use("Agg")
TUTORIALS = sorted(path for path in (ROOT / "docs" / "tutorials").glob("*.*"))
PAGES = sorted(
    path
    for path in (ROOT / "README.md", ROOT / "llms.txt", *(ROOT / "docs").rglob("*.md"))
    if path not in TUTORIALS and "```python" in path.read_text("utf-8")
)
ROBOT = "scara_2r"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages name: a profile and its URDF, two bags, a model, a fleet."""
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
    if find_spec("pyarrow") and find_spec("fsspec"):
        write_fleet(folder / "fleet", robot, folder / "work.mcap")
    return folder


def write_fleet(data_set: Path, robot: Robot, recording: Path) -> None:
    """Write the results of one recording of one robot."""
    from dynid_plugins.fleet.dataset import writer
    from dynid_plugins.fleet.listing import Entry
    from dynid_plugins.fleet.work import Outcome, process

    found = process(robot, Entry("cell", "type", str(recording), ""), None)
    assert isinstance(found, Outcome)
    assert found.model is not None
    with writer(data_set) as data:
        data.replace("cell", [found.row], found.parameters, {found.row["model"]: found.model})


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
    return [block.code for block in read_blocks(page) if block.language == "python"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_blocks_run(
    page: Path, folder: Path, names: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem == "fleet":
        pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
    monkeypatch.chdir(folder)
    # any motion will do, and the search of the pages starts four times
    shortest = partial(dynid.design_excitation, starts=1, jobs=1)
    monkeypatch.setattr(dynid, "design_excitation", shortest)
    namespace = dict(names)
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), namespace)  # noqa: S102


def test_readme_shows_what_a_newcomer_needs_in_python() -> None:
    (first, *_) = blocks(ROOT / "README.md")
    for name in ("load_robot", "load_recording", "identify", "save", "load_model", "validate"):
        assert name in first


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Somebody who has dynid's commands, and an empty folder."""
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    enter_own_domain()
    with Reader(folder) as reader:
        yield reader


def check_block(block: Block, reader: Reader) -> None:
    printed = reader.run(block)
    if block.quoted is not None:
        wrong = difference(block.quoted, printed.text)
        assert wrong is None, f"{block.code}\n{wrong}"


def _in_time(page: Path) -> object:
    """Return a parameter; all tutorials but one take long."""
    marks = () if page.stem == "own-robot" else pytest.mark.thorough
    return pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", [_in_time(page) for page in TUTORIALS])
def test_tutorials_run_from_an_empty_folder(page: Path, reader: Reader) -> None:
    if "import rclpy" in page.read_text("utf-8"):
        pytest.importorskip("rclpy", reason="no rclpy here")
    for block in read_blocks(page):
        if not block.needs_installation:  # test/launch/test_tutorial.py runs these
            check_block(block, reader)


def test_index_names_every_tutorial() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert [page.name for page in TUTORIALS if f"](tutorials/{page.name})" not in index] == []


def test_quoted_numbers_may_differ_by_a_fifth() -> None:
    assert difference("error 1.00 of 40", "error 1.19 of 33") is None
    assert difference("error 1.00", "error 1.30") is not None


def test_quoted_numbers_may_differ_in_their_last_digit() -> None:
    assert difference("0.01 −0.0 0", "0.02 0.1 1") is None
    assert difference("0.01", "0.03") is not None


def test_quoted_words_may_not_differ() -> None:
    assert difference("joint_1 moved", "joint_2 moved") is not None
    assert difference("wrote a.yaml", "wrote a.yaml and b.yaml") is not None


def test_three_dots_stand_for_any_text() -> None:
    assert difference("first\n...\nlast 3", "first\nsecond 7\nthird\nlast 3") is None
    assert difference("first\n...\nlast 3", "first\nsecond 7\nlast 9") is not None


def test_a_failing_command_is_reported_with_its_output(reader: Reader) -> None:
    with pytest.raises(AssertionError, match="no such profile"):
        reader.run(Block("bash", "echo 'no such profile'; false; echo never"))
