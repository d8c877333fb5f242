"""Denavit-Hartenberg tables: the URDF moves as the product of the table's matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
from support.dh_tables import CRAIG, KHALIL, POINT, one_row, table_of, urdf_from

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.dh.chain import chains_of

METRES = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}


def about_x(angle: float, length: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def about_z(angle: float, length: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1]])


def product(content: dict[str, Any], q: np.ndarray) -> np.ndarray:
    """The tool by the definition of the conventions, from the numbers as the table has them."""
    turn = np.pi / 180 if content["angles"] == "degrees" else 1.0
    metre = METRES[content["lengths"]]
    frame = np.eye(4)
    for row, value in zip(content["rows"], q, strict=True):
        khalil = "r" in row
        x = about_x(turn * row["alpha"], metre * row["d" if khalil else "a"])
        theta, d = turn * row["theta"], metre * row["r" if khalil else "d"]
        slides = row.get("type") == "prismatic"
        z = about_z(theta, d + value) if slides else about_z(theta + value, d)
        frame = frame @ (z @ x if content["convention"] == "classic" else x @ z)
    return frame


def tool(urdf: str, q: np.ndarray, name: str = "tool") -> np.ndarray:
    model = pinocchio.buildModelFromXML(urdf)
    full = pinocchio.neutral(model)
    for joint, value in zip(list(model.joints)[1:], q, strict=True):
        at = joint.idx_q
        full[at : at + joint.nq] = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, full)
    return np.asarray(data.oMf[model.getFrameId(name)].homogeneous)


def random_table(seed: int, convention: str, angles: str, lengths: str, letters: str) -> dict:
    """Joints of both types; angles at random, or at the right angles that real tables are of."""
    random = np.random.default_rng(seed)
    quarter = 90 if angles == "degrees" else np.pi / 2
    rows = []
    for number in range(6):
        alpha, theta = quarter * (
            random.integers(-2, 3, 2) if seed % 2 else random.uniform(-2, 2, 2)
        )
        x, z = random.uniform(-0.5, 0.5, 2) / METRES[lengths]
        names = {"a": x, "d": z} if letters == "craig" else {"d": x, "r": z}
        row: dict[str, Any] = {key: float(value) for key, value in names.items()}
        row |= {"alpha": float(alpha), "theta": float(theta)}
        if number in (1, 4):
            row |= {"type": "prismatic", "limits": {"position": [-9, 9], "velocity": 1}}
        rows.append(row)
    head = {"robot": "any", "convention": convention, "angles": angles, "lengths": lengths}
    return head | {"rows": rows}


# --- kinematics -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("convention", "letters"), [("classic", "craig"), ("modified", "craig"), ("modified", "khalil")]
)
@pytest.mark.parametrize(("angles", "lengths"), [("radians", "m"), ("degrees", "mm")])
def test_the_urdf_moves_as_the_product_of_the_matrices(
    seed: int, convention: str, letters: str, angles: str, lengths: str, tmp_path: Path
) -> None:
    content = random_table(seed, convention, angles, lengths, letters)
    urdf = urdf_from(content, tmp_path)
    for q in np.random.default_rng(9).uniform(-3, 3, (20, 6)):
        np.testing.assert_allclose(tool(urdf, q), product(content, q), rtol=0, atol=1e-12)


def test_base_and_tool_are_the_outer_factors_of_the_product(tmp_path: Path) -> None:
    content = random_table(4, "classic", "degrees", "cm", "craig")
    placed = content | {
        "base": {"xyz": [10, -20, 30], "rpy": [0, 0, 90]},
        "tool": {"xyz": [0, 0, 5]},
    }
    base = about_z(np.pi / 2, 0.3)
    base[:2, 3] = 0.1, -0.2
    q = np.linspace(-1, 1, 6)
    expected = base @ product(content, q) @ about_z(0, 0.05)
    np.testing.assert_allclose(tool(urdf_from(placed, tmp_path), q), expected, atol=1e-12)


def test_fractions_of_pi_are_exact(tmp_path: Path) -> None:
    content = one_row(alpha="-2*pi/3", theta="pi/2") | {"angles": "radians"}
    (chain,) = chains_of(table_of(content, tmp_path), "table.yaml")
    expected = about_x(-2 * np.pi / 3, 0.1) @ about_z(np.pi / 2, 0)
    np.testing.assert_allclose(chain.links[0].before.homogeneous, expected, atol=1e-16)


def test_two_chains_have_two_bases_and_share_the_root(tmp_path: Path) -> None:
    content = one_row()
    rows = content.pop("rows")
    content["chains"] = [
        {"prefix": "left_", "base": {"xyz": [0, 300, 0]}, "rows": rows},
        {"prefix": "right_", "base": {"xyz": [0, -300, 0]}, "rows": rows},
    ]
    urdf = urdf_from(content, tmp_path)
    for prefix, y in (("left_", 0.3), ("right_", -0.3)):
        found = tool(urdf, np.zeros(2), f"{prefix}tool")[:3, 3]
        np.testing.assert_allclose(found, [0.1, y, 0], atol=1e-15)


# --- bodies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", ["classic", "modified"])
@pytest.mark.parametrize("about", ["centre", "frame"])
def test_a_body_is_the_same_in_the_frame_of_its_row(
    convention: str, about: str, tmp_path: Path
) -> None:
    # kinetic energy of the joint by hand: z of the link's own frame (modified), or of the frame
    # before (classic, alpha between them)
    mass, centre = 2.0, np.array([0.1, 0.05, -0.02])
    tensor = np.array([[0.05, 0.004, 0.002], [0.004, 0.06, 0.001], [0.002, 0.001, 0.07]])
    about_origin = tensor + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    given = tensor if about == "centre" else about_origin
    keys = ("xx", "xy", "xz", "yy", "yz", "zz")
    inertia = dict(zip(keys, given[np.triu_indices(3)].tolist(), strict=True)) | {"about": about}
    alpha, a = 0.7, 0.25
    row = {"alpha": alpha, "a": a, "d": 0.1, "theta": 0.3, "mass": mass}
    row |= {"centre": centre.tolist(), "inertia": inertia}
    content = one_row() | {"convention": convention, "angles": "radians", "lengths": "m"}
    urdf = urdf_from(content | {"rows": [row]}, tmp_path)
    to_axis = about_x(alpha, a) if convention == "classic" else np.eye(4)
    place = to_axis[:3, :3] @ centre + to_axis[:3, 3]
    turned = to_axis[:3, :3] @ tensor @ to_axis[:3, :3].T
    expected = turned[2, 2] + mass * (place[0] ** 2 + place[1] ** 2)
    found = Mechanism(urdf, ("joint_1",)).mass_matrix(np.zeros(1))[0, 0]
    assert found == pytest.approx(expected, rel=1e-12)


def test_limits_are_in_the_units_of_the_table(tmp_path: Path) -> None:
    content = one_row(limits={"position": [-90, 180], "velocity": 36, "torque": 12})
    root = urdf_from(content, tmp_path)
    assert 'lower="-1.570796326794897" upper="3.141592653589793"' in root
    assert 'velocity="0.628318530717959' in root
    assert 'effort="12"' in root


# --- refusals ---------------------------------------------------------------------------------

LIMITS = {"position": [0, 1], "velocity": 1}
CUBE = {"xx": 1, "yy": 1, "zz": 1}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"alfa": 0}, r"unknown key 'alfa' in entry 1 of key 'rows'; did you mean 'alpha'"),
        ({"alpha": "90°"}, r"key 'alpha' in entry 1 .*: must be .* such as -pi/2, got '90°'"),
        ({"alpha": "pi/0"}, r"must be .* such as -pi/2, got 'pi/0'"),
        ({"alpha": f"{'9' * 5000}*pi"}, r"must be .* such as -pi/2"),
        ({"alpha": "pi/2"}, r"row 1 \(joint_1\): an angle is 'pi/2', but 'angles' is degrees"),
        ({"a": None}, r"entry 1 of key 'rows': a row must have either a and d .* or Khalil's"),
        ({"r": 3}, r"a row must have either a and d"),
        ({"type": "prismatic"}, r"a prismatic row must have 'limits'"),
        ({"type": "helical"}, r"must be 'revolute' or 'prismatic', got 'helical'"),
        ({"limits": LIMITS | {"position": [2, 1]}}, r"row 1 \(joint_1\): position \[.*must be"),
        ({"type": "prismatic", "limits": LIMITS | {"position": ["pi", 1]}}, r"a length is 'pi'"),
        ({"mass": 1}, r"'mass' and 'centre' must be given together"),
        ({"mass": 0, "centre": [0, 0, 0]}, r"key 'mass' in entry 1 .*greater than 0"),
        ({"inertia": CUBE}, r"'inertia' requires 'mass'"),
        (POINT | {"inertia": CUBE | {"zz": 3}}, r"row 1 \(joint_1\): .* moments 1, 1, 3 kg m\^2"),
        (POINT | {"inertia": CUBE | {"about": "frame"}}, r"has principal moments -"),
    ],
)  # fmt: skip
def test_an_impossible_row_is_one_sentence_that_names_it(
    changes: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        urdf_from(one_row(**changes), tmp_path)
    assert str(caught.value).startswith("table.yaml: ")
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"angles": "grad"}, r"key 'angles': must be 'radians' or 'degrees', got 'grad'"),
        ({"rows": []}, r"key 'rows': must have at least 1 value"),
        ({"base": {"rpy": ["pi", 0, 0]}}, r"base or tool: an angle is 'pi', but 'angles' is"),
        ({"rows": [KHALIL], "convention": "classic"}, r"so 'convention' must be modified"),
        ({"rows": [KHALIL, CRAIG]}, r"use one notation in all rows"),
        ({"rows": [CRAIG | {"name": "j"}] * 2}, r"two joints are named 'j'"),
        ({"rows": None}, r"a table must have either 'rows', or 'chains'"),
        ({"chains": [{"rows": [CRAIG]}]}, r"a table must have either 'rows', or 'chains'"),
        ({"rows": None, "chains": [{"rows": [CRAIG]}], "tool": {}}, r"must be in each of 'cha"),
        ({"row": [CRAIG]}, r"unknown key 'row'; did you mean 'rows'"),
    ],
)  # fmt: skip
def test_an_impossible_table_is_one_sentence(
    changes: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        urdf_from(one_row() | changes, tmp_path)
