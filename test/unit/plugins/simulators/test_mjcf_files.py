"""An MJCF whose meshes are missing is read, if its inertias do not depend on them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dynid import cli
from dynid.errors import ConfigurationError
from dynid.profile import load_robot

mujoco = pytest.importorskip("mujoco")

SHAPES = {
    "first": '<geom type="mesh" mesh="first"/>',
    "visual": '<geom type="mesh" mesh="second" mass="0"/>',
    "fitted": '<geom type="capsule" mesh="second"/>',
}
INERTIAL = '<inertial pos="0 0 0.1" mass="2" diaginertia="0.01 0.02 0.02"/>'


def arm(*, assets: str = "", shape: str = "", inertial: str = INERTIAL, compiler: str = "") -> str:
    return f"""<mujoco model="arm"><compiler {compiler}/><asset>{assets}</asset><worldbody>
      <body name="upper"><joint name="shoulder" axis="0 1 0" range="-90 90" limited="true"/>
        {inertial}{shape}
        <body name="lower" pos="0 0 0.3"><joint name="elbow" axis="0 1 0"/>
          <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.01"/><geom size="0.05"/>
        </body></body></worldbody></mujoco>"""


MESHES = '<mesh name="first" file="first.stl"/><mesh name="second" file="parts/second.obj"/>'


def parameters(path: Path) -> np.ndarray:
    return load_robot(path).mechanism().parameters


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("compiler", ["", 'meshdir="gone"', 'inertiafromgeom="false"'])
def test_bodies_keep_their_inertias_without_meshes(
    tmp_path: Path, shape: str, compiler: str
) -> None:
    (tmp_path / "bare.xml").write_text(arm())
    (tmp_path / "arm.xml").write_text(arm(assets=MESHES, shape=shape, compiler=compiler))
    with pytest.warns(UserWarning, match=r"not found were .*first\.stl and parts/second\.obj"):
        found = parameters(tmp_path / "arm.xml")
    np.testing.assert_allclose(found, parameters(tmp_path / "bare.xml"), rtol=1e-12)


@pytest.mark.parametrize(
    "assets",
    [
        '<texture name="skin" type="2d" file="skin.png"/><material name="m" texture="skin"/>',
        '<texture name="sky" type="cube" fileright="skin.png" fileleft="skin.png"/>',
        '<hfield name="ground" file="skin.png" size="1 1 1 1"/>',
    ],
    ids=["texture", "cube", "height field"],
)
def test_missing_pictures_are_named_and_left_out(tmp_path: Path, assets: str) -> None:
    (tmp_path / "arm.xml").write_text(arm(assets=assets))
    with pytest.warns(UserWarning, match=r"not found were skin\.png"):
        assert load_robot(tmp_path / "arm.xml").joints == ("shoulder", "elbow")


@pytest.mark.parametrize(("inertial", "compiler"), [("", ""), (INERTIAL, 'inertiafromgeom="true"')])
def test_a_mass_that_follows_from_a_missing_mesh_is_refused(
    tmp_path: Path, inertial: str, compiler: str
) -> None:
    text = arm(assets=MESHES, shape=SHAPES["first"], inertial=inertial, compiler=compiler)
    (tmp_path / "arm.xml").write_text(text)
    with pytest.raises(ConfigurationError, match=r"mass of body 'upper' .*'first\.stl'"):
        load_robot(tmp_path / "arm.xml")


def test_a_mesh_that_adds_no_mass_is_not_needed(tmp_path: Path) -> None:
    shape = f'{SHAPES["visual"]}<geom size="0.1"/>'
    (tmp_path / "bare.xml").write_text(arm(shape='<geom size="0.1"/>', inertial=""))
    (tmp_path / "arm.xml").write_text(arm(assets=MESHES, shape=shape, inertial=""))
    with pytest.warns(UserWarning, match="not found"):
        found = parameters(tmp_path / "arm.xml")
    np.testing.assert_allclose(found, parameters(tmp_path / "bare.xml"), rtol=1e-12)


def test_meshes_that_are_there_are_still_read(tmp_path: Path) -> None:
    tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "first.obj").write_text(tetrahedron)
    assets = '<mesh name="first" file="first.obj"/><mesh name="second" file="second.obj"/>'
    shape = SHAPES["first"] + SHAPES["visual"]
    (tmp_path / "arm.xml").write_text(arm(assets=assets, shape=shape, inertial=""))
    with pytest.warns(UserWarning, match=r"not found were second\.obj;"):
        found = parameters(tmp_path / "arm.xml")
    assert found[0] == pytest.approx(1000 / 6)  # density of water


def test_a_new_profile_names_missing_meshes_once(tmp_path: Path) -> None:
    many = "".join(f'<mesh name="m{k}" file="m{k}.stl"/>' for k in range(9))
    (tmp_path / "arm.xml").write_text(arm(assets=many, shape='<geom type="mesh" mesh="m4"/>'))
    arguments = ["new", str(tmp_path / "arm.xml"), "-o", str(tmp_path / "arm.yaml")]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 0
    (said,) = (str(one.message) for one in caught if "not found" in str(one.message))
    assert "m0.stl, m1.stl, m2.stl and 6 more" in said


def test_another_fault_is_reported_as_before(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(arm(assets=MESHES).replace('axis="0 1 0"', 'axis="0 0 0"', 1))
    with pytest.raises(ConfigurationError, match="MuJoCo cannot compile it"):
        load_robot(tmp_path / "arm.xml")
