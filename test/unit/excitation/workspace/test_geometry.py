"""Shapes that represent the bodies, and the notes on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.walled_arm import BALL, URDF, walled

from dynid.errors import ConfigurationError, MechanismError
from dynid.excitation.motion import Motion
from dynid.excitation.workspace.distances import Distance
from dynid.excitation.workspace.meshes import MissingMesh, missing_meshes
from dynid.excitation.workspace.pairs import always_violated
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot

FLOOR = {"floor": {"point": [0.0, 0.0, -2.0]}}
MESH = """<collision><origin xyz="0.25 0 0"/><geometry>
  <mesh filename="package://walled/cube.stl" scale="0.1 0.1 0.1"/></geometry></collision>"""


def cube() -> str:
    """An STL file of a cube from -1 to 1, its faces in any order of corners."""
    lines = ["solid cube"]
    for axis in range(3):
        for side in (-1.0, 1.0):
            corners = []
            for first, second in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = [0.0, 0.0, 0.0]
                corner[axis], corner[axis - 2], corner[axis - 1] = side, first, second
                corners.append("vertex {} {} {}".format(*corner))
            for triangle in ((0, 1, 2), (0, 2, 3)):
                lines += ["facet normal 0 0 0", "outer loop"]
                lines += [corners[k] for k in triangle]
                lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid cube\n"])


def margin(workspace: Workspace, name: str) -> float:
    still = np.zeros((1, 4))
    margins = workspace.margins(Motion(still, still, still))[0]
    return float(margins[workspace.names.index(name)])


@pytest.mark.parametrize("content", [None, "solid nothing\nendsolid nothing\n"])
def test_a_missing_mesh_is_named_and_replaced_by_a_capsule(
    tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "cube.stl").write_text(content)
    workspace = walled(URDF.replace(BALL, MESH), planes=FLOOR, mesh_folder=str(tmp_path))
    (note,) = (note for note in workspace.notes if "cube.stl" in note)
    assert "not readable: mesh 'package://walled/cube.stl' of hand (set workspace.mesh_fol" in note
    assert any("capsules" in note and "hand" in note for note in workspace.notes)
    assert margin(workspace, "hand to plane 'floor'") == pytest.approx(2.2, abs=0.05)


def test_a_mesh_that_has_changed_is_read_again(tmp_path: Path) -> None:
    for size in (1.0, 2.0):  # as its convex hull
        text = cube().replace("1.0", str(size))
        (tmp_path / "cube.stl").write_text(text)
        workspace = walled(URDF.replace(BALL, MESH), planes=FLOOR, mesh_folder=str(tmp_path))
        assert margin(workspace, "hand to plane 'floor'") == pytest.approx(2.2 - 0.1 * size)
        assert not any("cube.stl" in note for note in workspace.notes)


def test_a_flat_mesh_is_not_readable_and_nothing_else_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    corners = ("0 0 0", "nan 1 0", "1 nan 0")
    facet = "".join(f"vertex {corner}\n" for corner in corners)
    text = f"facet normal 0 0 1\nouter loop\n{facet}endloop\nendfacet\n" * 20
    (tmp_path / "cube.stl").write_text(f"solid c\n{text}endsolid c\n")
    workspace = walled(URDF.replace(BALL, MESH), planes=FLOOR, mesh_folder=str(tmp_path))
    assert any("not readable" in note for note in workspace.notes)
    assert capfd.readouterr() == ("", "")


def test_all_missing_meshes_are_named_in_one_sentence() -> None:
    files = ("a.stl", "b.stl", "c.stl", "a.stl", "d.stl")
    missing = [MissingMesh(file, f"link{number % 2}") for number, file in enumerate(files)]
    assert missing_meshes(missing) == "meshes 'a.stl', 'b.stl' and 2 more of 2 links"
    assert missing_meshes(missing[:1]) == "mesh 'a.stl' of link0"


VISUAL = BALL.replace("collision", "visual").replace("0.04", "0.07")


@pytest.mark.parametrize(("shapes", "radius"), [(VISUAL, 0.07), (VISUAL + BALL, 0.04)])
def test_visual_shapes_replace_missing_collision_shapes(shapes: str, radius: float) -> None:
    workspace = walled(URDF.replace(BALL, shapes), planes=FLOOR)
    assert margin(workspace, "hand to plane 'floor'") == pytest.approx(2.2 - radius)
    note = "Shapes from <visual> of the URDF, because <collision> is missing: hand."
    assert (note in workspace.notes) == (shapes == VISUAL)


def test_a_shape_without_numbers_is_refused_in_a_sentence() -> None:
    with pytest.raises(MechanismError, match=r'<sphere radius="big"> .*expected a finite number'):
        walled(URDF.replace('<sphere radius="0.04"/>', '<sphere radius="big"/>'), planes=FLOOR)


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("planes=nothing", "planes"),
        ("planes.floor={normal: [0, 0, 0]}", "'normal' must not be 0 in all directions"),
        ("boxes.bin={low: [0, 0, 1], high: [1, 1, 1]}", r"along z, low \(1\) must be below high"),
        ("tool_speed=0", "must be greater than 0"),
        ("clearance=-0.1", "must be greater than or equal to 0"),
        ("self_colision=true", "did you mean 'self_collision'"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(override: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        load_robot("puma560", overrides=[f"workspace.{override}"])


def test_where_no_position_can_be_reached_nothing_is_left_out() -> None:
    pair = Distance(("a", "b"), (2, 1), ())
    assert always_violated([pair], np.full((50, 1), -0.1)).keys() == {0}
    assert always_violated([pair], np.empty((0, 1))) == {}
