"""Meshes of a URDF in pictures and pages: placed, simplified, and reported where missing."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image as mpl_image
import numpy as np
import pytest
from support.synthetic import ARM_URDF, arm_robot
from typer.testing import CliRunner

from dynid.cli import app
from dynid.report.view.html import render_html
from dynid.report.view.picture import RobotPicture
from dynid.report.view.png import write_png
from dynid.report.view.robot_meshes import MOST_TRIANGLES, robot_meshes, simplify
from dynid.robot.robot import Robot

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = np.array(
    [
        *[[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]],
        *[[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]],
    ]
)
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'


def write_stl(path: Path, vertices=CUBE, faces=FACES) -> Path:
    corners = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*vertices[v]) for v in face)
        + "endloop\nendfacet\n"
        for face in faces
    )
    path.write_text(f"solid cube\n{corners}endsolid cube\n")
    return path


def write_obj(path: Path) -> Path:
    lines = ["v {} {} {}".format(*vertex) for vertex in CUBE]
    lines += ["f {} {} {}".format(*(face + 1)) for face in FACES]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_dae(path: Path) -> Path:
    numbers = " ".join(map(str, CUBE.reshape(-1)))
    corners = " ".join(map(str, FACES.reshape(-1)))
    path.write_text(
        f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="24">{numbers}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""
    )
    return path


WRITERS = {"stl": write_stl, "obj": write_obj, "dae": write_dae}


def arm_with(folder: Path, filename: str, scale: str = "0.1 0.2 0.3") -> Robot:
    """Return the arm with a red mesh at its upper link."""
    visual = (
        f'<visual><origin xyz="0 0 0.5"/><geometry><mesh filename="{filename}" scale="{scale}"/>'
        f"</geometry>{RED}</visual>"
    )
    urdf_xml = ARM_URDF.replace('<link name="upper">', f'<link name="upper">{visual}')
    return arm_robot(workspace={"mesh_folder": str(folder)}).with_urdf(urdf_xml)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_mesh_is_scaled_and_placed(tmp_path, kind):
    WRITERS[kind](tmp_path / f"cube.{kind}")
    robot = arm_with(tmp_path, f"cube.{kind}")
    found = robot_meshes(robot, robot.kinematics())
    assert found.note == ""
    ((body, (mesh,)),) = found.meshes.items()
    assert (body, mesh.link, mesh.colour) == (1, "upper", (1.0, 0.0, 0.0, 1.0))
    assert len(mesh.faces) == 12
    np.testing.assert_allclose(mesh.vertices.min(axis=0), [0, 0, 0.5], atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [0.1, 0.2, 0.8], atol=1e-6)


def test_a_mesh_takes_the_place_of_the_capsule_and_others_keep_theirs(tmp_path):
    write_stl(tmp_path / "cube.stl")
    robot = arm_with(tmp_path, "cube.stl")
    plain = RobotPicture(robot).scene([0.0, 0.0, 0.0])
    drawn = RobotPicture(robot, meshes=True).scene([0.0, 0.0, 0.0])
    robots = [[s for s in body.shapes if s.role == "robot"] for body in drawn.bodies]
    before = [[s for s in body.shapes if s.role == "robot"] for body in plain.bodies]
    assert before[1]
    assert robots[1] == []
    assert robots[2] == before[2]
    assert [len(body.meshes) for body in drawn.bodies] == [0, 1, 0, 0]
    assert plain.meshes() == ()


def test_the_picture_shows_the_mesh(tmp_path):
    write_stl(tmp_path / "cube.stl")
    robot = arm_with(tmp_path, "cube.stl")
    for meshes, shown in ((False, 0.0), (True, 0.01)):
        scene = RobotPicture(robot, meshes=meshes).scene([0.0, 0.0, 0.0]).only("robot")
        write_png(scene, tmp_path / "view.png", width=400, height=300)
        red, green, blue = mpl_image.imread(tmp_path / "view.png")[..., :3].transpose(2, 0, 1)
        share = float(np.mean((red > 0.5) & (green < 0.1) & (blue < 0.1)))
        assert (share > shown) if meshes else (share == 0.0)


def test_a_mesh_whose_triangles_face_inwards_looks_the_same(tmp_path):
    pictures = []
    for number, faces in enumerate((FACES, FACES[:, ::-1])):
        write_stl(tmp_path / "cube.stl", faces=faces)
        scene = RobotPicture(arm_with(tmp_path, "cube.stl"), meshes=True).scene([0.0] * 3)
        write_png(scene, tmp_path / f"{number}.png", width=400, height=300)
        pictures.append(mpl_image.imread(tmp_path / f"{number}.png"))
    np.testing.assert_array_equal(*pictures)


def test_markers_are_outside_of_a_mesh(tmp_path):
    """A mesh around the joint's axis hides whatever is on it."""
    write_stl(tmp_path / "cube.stl", vertices=CUBE - 0.5)
    robot = arm_with(tmp_path, "cube.stl", scale="0.1 0.1 2")
    picture = RobotPicture(robot, meshes=True)
    scene = picture.scene([0.0, 0.0, 0.0])
    (mesh,) = scene.meshes()
    balls = scene.shapes("torque_error")
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    for ball in balls:
        centre = np.array(ball.pose.position)
        outside = np.linalg.norm(np.maximum([low - centre, centre - high], 0).max(axis=0))
        assert outside > ball.size[0] / 2


def test_the_page_has_the_mesh_in_its_body(tmp_path):
    pytest.importorskip("meshcat")
    write_stl(tmp_path / "cube.stl")
    robot = arm_with(tmp_path, "cube.stl")
    sizes = [
        len(render_html(RobotPicture(robot, meshes=meshes).scene([0.0] * 3)))
        for meshes in (False, True)
    ]
    assert 0 < abs(sizes[1] - sizes[0]) < 20_000


def ball(triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a sphere of diameter 1 with about so many triangles."""
    side = round(np.sqrt(triangles / 2))
    u, v = np.meshgrid(np.linspace(0, np.pi, side + 1), np.linspace(0, 2 * np.pi, side + 1))
    points = 0.5 * np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    at = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
    faces = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    return points.reshape(-1, 3), faces


@pytest.mark.parametrize("most", [100, 3000])
def test_a_simplified_mesh_has_the_same_form(most):
    vertices, faces = ball(20_000)
    fewer, left = simplify(vertices, faces, most)
    assert 0.3 * most < len(left) <= most
    radius = np.linalg.norm(fewer, axis=1)
    # within a cell of the grid, of which a face crosses about 6 by its area
    cell = np.sqrt(6 * np.pi / most)
    assert np.abs(radius[np.unique(left)] - 0.5).max() < cell
    assert len(np.unique(np.sort(left, axis=1), axis=0)) > 0.9 * len(left)


def test_all_meshes_of_a_robot_together_have_a_limit(tmp_path, monkeypatch):
    vertices, faces = ball(12_000)
    write_stl(tmp_path / "ball.stl", vertices, faces)
    monkeypatch.setattr("dynid.report.view.robot_meshes.MOST_TRIANGLES", 2000)
    robot = arm_with(tmp_path, "ball.stl")
    found = robot_meshes(robot, robot.kinematics())
    assert 0 < sum(len(m.faces) for ms in found.meshes.values() for m in ms) <= 2000
    assert MOST_TRIANGLES == 40_000


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "Mesh 'm.stl' of upper was not found."),
        (b"no mesh at all", "Mesh 'm.stl' of upper cannot be read as STL, DAE, OBJ"),
        (b"", "Mesh 'm.stl' of upper cannot be read as STL, DAE, OBJ"),
        (b"solid a\nendsolid a\n", "Mesh 'm.stl' of upper "),
    ],
)
def test_a_mesh_that_cannot_be_drawn_is_named(tmp_path, content, sentence):
    if content is not None:
        (tmp_path / "m.stl").write_bytes(content)
    robot = arm_with(tmp_path, "m.stl")
    picture = RobotPicture(robot, meshes=True)
    assert picture.note.startswith(sentence)
    assert "Links are drawn without them." in picture.note
    assert picture.scene([0.0] * 3).bodies[1].shapes  # a capsule instead


def test_a_file_that_is_too_large_is_named(tmp_path, monkeypatch):
    write_stl(tmp_path / "m.stl")
    monkeypatch.setenv("DYNID_MAX_MESH_BYTES", "100")
    note = RobotPicture(arm_with(tmp_path, "m.stl"), meshes=True).note
    assert "DYNID_MAX_MESH_BYTES" in note


def test_the_command_draws_and_notes_what_is_missing(tmp_path):
    write_stl(tmp_path / "cube.stl")
    visual = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    urdf_xml = ARM_URDF
    for link, name in (("upper", "cube.stl"), ("lower", "lost.stl")):
        urdf_xml = urdf_xml.replace(
            f'<link name="{link}">', f'<link name="{link}">{visual.format(name)}'
        )
    (tmp_path / "arm.urdf").write_text(urdf_xml)
    output = tmp_path / "view.png"
    ran = CliRunner().invoke(app, ["view", str(tmp_path / "arm.urdf"), "-o", str(output)])
    assert ran.exit_code == 0
    assert output.stat().st_size > 10_000
    said = " ".join(ran.stderr.split())
    assert "Mesh 'lost.stl' of" in said
    assert "--set workspace.mesh_folder=FOLDER names their folder." in said
