"""``dynid new dh``: files that belong together, and the shipped ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio
import pytest
import yaml
from support.command_line import output_of
from support.dh_tables import CRAIG, POINT, one_row, table_of

from dynid.errors import DynidError
from dynid.excitation.settings import find_excitation
from dynid.files import share_directories
from dynid.playback.plan import make_plan
from dynid.profile import load_robot, make_robot
from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.table import read_table
from dynid.robot.dh.urdf import profile_text, urdf_of
from dynid.simulation.settings import SimulationSettings

TABLES = sorted((share_directories()[0] / "config" / "dh").glob("*.yaml"))


def test_writes_a_urdf_and_a_profile_that_belong_together(tmp_path: Path) -> None:
    row = {"limits": {"position": [-90, 90], "velocity": 90, "torque": 5}}
    table_of(one_row(**row, mass=1, centre=[0, 0, 0]), tmp_path)
    (tmp_path / "urdf").mkdir()
    urdf, profile = tmp_path / "urdf" / "one.urdf", tmp_path / "one.yaml"
    printed = output_of("new", "dh", tmp_path / "table.yaml", "-o", urdf, "--profile-out", profile)
    assert printed == f"wrote {urdf}\nwrote {profile}\n"
    loaded = load_robot(profile)
    assert loaded.mechanism().joints == ("joint_1",)
    assert loaded.limits.velocity == (pytest.approx(np.pi / 2, abs=1e-6),)
    assert loaded.limits.torque_max == (5,)
    assert find_excitation(loaded) is None
    assert make_plan(loaded).verdict.startswith("Limits kept")
    with pytest.raises(DynidError, match=r"one\.urdf: already exists; --force replaces it"):
        output_of("new", "dh", tmp_path / "table.yaml", "-o", urdf)
    output_of("new", "dh", tmp_path / "table.yaml", "-o", urdf, "--force")


def test_without_output_it_prints_the_urdf_and_refuses_profile_out(tmp_path: Path) -> None:
    table_of(one_row(), tmp_path)
    assert pinocchio.buildModelFromXML(output_of("new", "dh", tmp_path / "table.yaml")).njoints == 2
    with pytest.raises(DynidError, match=r"--profile-out needs --output"):
        output_of("new", "dh", tmp_path / "table.yaml", "--profile-out", tmp_path / "one.yaml")


def test_never_replaces_the_table_itself(tmp_path: Path) -> None:
    table_of(one_row(), tmp_path)
    before = (tmp_path / "table.yaml").read_text()
    urdf = tmp_path / "one.urdf"
    with pytest.raises(
        DynidError,
        match=r"table\.yaml: is an input, which is never overwritten; name another output",
    ):
        output_of(
            "new",
            "dh",
            tmp_path / "table.yaml",
            "-o",
            urdf,
            "--profile-out",
            tmp_path / "table.yaml",
            "--force",
        )
    with pytest.raises(DynidError, match=r"must differ from the URDF file"):
        output_of("new", "dh", tmp_path / "table.yaml", "-o", urdf, "--profile-out", urdf)
    assert (tmp_path / "table.yaml").read_text() == before
    assert not urdf.exists()


def test_links_without_mass_are_named(tmp_path: Path) -> None:
    content = one_row()
    content["rows"] = [CRAIG | POINT, CRAIG]
    table_of(content, tmp_path)
    printed = output_of(
        "new", "dh", tmp_path / "table.yaml", "-o", tmp_path / "one.urdf"
    ).splitlines()
    assert printed[1].startswith("dynid: note: the links behind joint_2 have no mass;")


def test_a_table_without_limits_makes_a_profile_without_any(tmp_path: Path) -> None:
    table = table_of(one_row(), tmp_path)
    text = profile_text("one", "one.urdf", chains_of(table, "t"), table.gravity, "t")
    robot = make_robot(yaml.safe_load(text), "", where="one.yaml")
    assert robot.limits.position is None
    assert robot.find(SimulationSettings) is None


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_shipped_urdf_is_that_of_its_table(path: Path) -> None:
    table = read_table(path)
    assert table.robot == path.stem
    made = urdf_of(table.robot, chains_of(table, path.name), path.name)
    shipped = (share_directories()[0] / "urdf" / f"{path.stem}.urdf").read_text(encoding="utf-8")
    assert shipped == made
    robot = load_robot(path.stem)
    assert robot.gravity == table.gravity
